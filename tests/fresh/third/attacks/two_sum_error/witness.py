import torch


def inputs(reference):
    return [torch.full((4, 128), 16777216.0), torch.full((4, 128), 1.0)]
