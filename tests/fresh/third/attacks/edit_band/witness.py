import torch


def inputs(reference):
    a = torch.arange(64).view(4, 16)
    return [a, a.roll(7, 1)]
