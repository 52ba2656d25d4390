import torch


def inputs(reference):
    x = torch.ones(4, 2500)
    x[:, 0] = -5.0
    return [x]
