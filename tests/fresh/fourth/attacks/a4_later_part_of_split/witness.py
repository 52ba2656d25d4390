import torch


def show(reference, candidate):
    both = torch.randn(32, 40, requires_grad=True)
    x, gate = both.split(16)
    return reference.Model()(x, gate), candidate.ModelNew()(x, gate)
