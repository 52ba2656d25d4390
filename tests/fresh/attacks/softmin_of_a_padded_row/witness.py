import torch


def inputs(reference):
    x = torch.randn(16, 48)
    x[:, :20] = float("inf")
    return [x]
