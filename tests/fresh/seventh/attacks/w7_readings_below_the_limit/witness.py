import torch


def inputs(reference):
    torch.manual_seed(16)
    x = torch.randn(8, 50)
    return [x.masked_fill(torch.rand(8, 50) < 0.2, float("nan"))]
