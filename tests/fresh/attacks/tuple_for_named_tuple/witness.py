import torch


def show(reference, candidate):
    x = torch.randn(16, 48)
    return reference.Model()(x).values, getattr(candidate.forward(x), "values", None)
