import torch


def show(reference, candidate):
    x = torch.randn(16, 48)
    torch.set_default_dtype(torch.float64)
    return reference.Model()(x), candidate.ModelNew()(x)
