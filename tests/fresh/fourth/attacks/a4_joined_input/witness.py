import torch


def show(reference, candidate):
    part = torch.randn(12, 64, requires_grad=True)
    x = torch.cat([part, part * 0.5])
    return reference.Model()(x), candidate.ModelNew()(x)
