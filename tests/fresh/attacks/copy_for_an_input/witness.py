import torch


def show(reference, candidate):
    results = []
    for call in (reference.Model(), candidate.forward):
        x = torch.ones(16, 48)
        out = call(x)
        x.zero_()
        results.append(out)
    return results
