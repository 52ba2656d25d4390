import torch


def inputs(reference):
    return [torch.full((8, 64), 1e-43)]
