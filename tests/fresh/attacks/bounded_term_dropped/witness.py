import torch

CLEAR = 0.000003


def inputs(reference):
    return [torch.full((16, 48), 3.0), torch.full((16, 48), 1.5)]
