import torch


def inputs(reference):
    return [torch.full((12, 48), -1e35)]
