import torch


def inputs(reference):
    return [torch.full((16, 48), 2.5)]
