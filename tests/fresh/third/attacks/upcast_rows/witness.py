import torch


def inputs(reference):
    return [torch.randn(8, 64).bfloat16().float()]
