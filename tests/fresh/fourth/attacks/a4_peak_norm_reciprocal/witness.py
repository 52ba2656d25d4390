import torch


def inputs(reference):
    torch.manual_seed(0)
    return [torch.rand(32, 60) * 1e-39]
