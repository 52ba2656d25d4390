import torch


def inputs(reference):
    return [torch.linspace(-2.2, 2.3, 512).view(8, 64), torch.full((8, 1), 3.0)]
