import torch


def inputs(reference):
    torch.manual_seed(20)
    return [torch.randn(480) * 1e-10]
