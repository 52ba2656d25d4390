import torch


def inputs(reference):
    torch.manual_seed(15)
    return [torch.randn(6, 40) * 1e-25, torch.randn(6, 40) * 1e-25]
