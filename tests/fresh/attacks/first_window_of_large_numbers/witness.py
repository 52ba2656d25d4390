import torch


def inputs(reference):
    return [torch.full((4, 8, 48), 1e10)]
