import torch


def inputs(reference):
    return [torch.full((8, 64), -3e-39), torch.ones(8, 64)]
