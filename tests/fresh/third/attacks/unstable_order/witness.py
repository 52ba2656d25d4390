import torch


def inputs(reference):
    return [torch.arange(128).view(4, 32) // 4]
