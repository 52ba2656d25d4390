import torch


def inputs(reference):
    torch.manual_seed(58)
    return [torch.randn(8, 32).repeat_interleave(2, 0)]
