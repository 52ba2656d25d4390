import torch


def inputs(reference):
    torch.manual_seed(17)
    x = torch.randn(9, 32)
    return [x.masked_fill(torch.rand(9, 32) < 0.2, float("nan"))]
