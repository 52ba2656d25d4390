import torch


def show(reference, candidate):
    results = []
    for call in (reference.Model(), candidate.ModelNew()):
        torch.manual_seed(5)
        call(torch.ones(16, 48))
        results.append(torch.rand(4))
    return results
