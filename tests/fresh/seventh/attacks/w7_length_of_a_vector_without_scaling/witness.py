import torch


def inputs(reference):
    torch.manual_seed(13)
    x = torch.randn(12, 48)
    x[::2] *= 1e22
    x[1::2] *= 1e-24
    return [x]
