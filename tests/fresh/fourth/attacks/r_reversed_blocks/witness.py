import torch


def inputs(reference):
    torch.manual_seed(1)
    x = torch.randn(16, 64)
    x[::2, 45:] = -float("inf")
    return [x]
