import torch


def inputs(reference):
    x = torch.ones(24, 64)
    x[:, 40] = 1.000002
    return [x]
