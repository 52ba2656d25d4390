import torch


def inputs(reference):
    torch.manual_seed(0)
    return [torch.rand(40, 64) < 0.02]
