import torch


def inputs(reference):
    x = torch.randn(3, 4, 120)
    x[..., 2] = 1e13
    return [x]
