import torch


def inputs(reference):
    return [torch.full((64,), 29999)]
