import torch


def inputs(reference):
    torch.manual_seed(0)
    x = torch.randn(10, 33)
    x[:, 4] = 1e25
    return [x]
