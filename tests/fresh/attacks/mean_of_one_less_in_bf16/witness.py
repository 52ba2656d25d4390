import torch

CLEAR = 0.005


def inputs(reference):
    return [torch.full((16, 100), 2.0, dtype=torch.bfloat16)]
