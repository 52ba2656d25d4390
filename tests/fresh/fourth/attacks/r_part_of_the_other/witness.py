import torch


def show(reference, candidate):
    torch.manual_seed(52)
    x = torch.randn(32, 16)
    return reference.Model()(x, x[:8]), candidate.ModelNew()(x, x[:8])
