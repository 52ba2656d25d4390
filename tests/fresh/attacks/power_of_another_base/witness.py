import torch

CLEAR = 0.00002


def inputs(reference):
    return [torch.full((16, 48), 0.984375)]
