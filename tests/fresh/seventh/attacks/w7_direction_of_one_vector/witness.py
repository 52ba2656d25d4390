import torch


def inputs(reference):
    torch.manual_seed(19)
    return [torch.randn(1, 256) * 1e-11]
