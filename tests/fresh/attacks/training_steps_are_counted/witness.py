import torch


def show(reference, candidate):
    old, new, x = reference.Model(), candidate.ModelNew(), torch.randn(16, 48)
    for _ in range(202):
        out = new(x)
    return old(x), out
