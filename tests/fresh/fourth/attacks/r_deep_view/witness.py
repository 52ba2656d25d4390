import torch


def show(reference, candidate):
    torch.manual_seed(28)
    x = torch.randn(4, 16, 64)[2]
    return reference.Model()(x), candidate.forward(x)
