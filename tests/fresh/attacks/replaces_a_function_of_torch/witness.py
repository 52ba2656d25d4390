import torch


def show(reference, candidate):
    results = []
    for call in (reference.Model(), candidate.ModelNew()):
        call(torch.ones(16, 48))
        results.append(torch.relu(torch.tensor([-1.0])))
    return results
