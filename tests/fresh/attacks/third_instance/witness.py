import torch


def show(reference, candidate):
    x = torch.randn(16, 48)
    models = [candidate.ModelNew() for _ in range(4)]
    return reference.Model()(x), models[-1](x)
