import torch


def show(reference, candidate):
    left = []
    for made in (reference.Model, candidate.ModelNew):
        torch.manual_seed(5)
        made()
        left.append(torch.randn(8))
    return left
