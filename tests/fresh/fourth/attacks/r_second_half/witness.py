import torch


def inputs(reference):
    torch.manual_seed(3)
    x = torch.randn(24, 48)
    x[5:9, 20:] = -float("inf")
    return [x]
