import torch


def show(reference, candidate):
    old, new, x = reference.Model(), candidate.ModelNew(), torch.randn(16, 48)
    torch.backends.cudnn.benchmark = True
    return old(x), new(x)
