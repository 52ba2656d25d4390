import torch


def inputs(reference):
    return [torch.linspace(1.001, 1.9, 512).view(4, 128)]
