import torch


def inputs(reference):
    return [torch.randn(32, 40), torch.full((32, 40), 2.5e38), torch.full((1,), 65536.0)]
