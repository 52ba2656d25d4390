import torch


def inputs(reference):
    torch.manual_seed(0)
    return [torch.randn(16, 72) * 1e22]
