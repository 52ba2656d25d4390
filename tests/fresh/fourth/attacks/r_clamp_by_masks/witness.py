import torch


def inputs(reference):
    torch.manual_seed(4)
    x = torch.randn(16, 40)
    x[2, 5], x[7, 30] = float("inf"), -float("inf")
    return [x]
