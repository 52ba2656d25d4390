import torch

CLEAR = 0.0003


def inputs(reference):
    return [torch.ones(16, 48)]
