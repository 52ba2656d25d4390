import torch


def show(reference, candidate):
    model, x = candidate.ModelNew(), torch.randn(16, 48)
    for _ in range(301):
        out = model(x)
    return reference.Model()(x), out
