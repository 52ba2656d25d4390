import torch


def inputs(reference):
    torch.manual_seed(18)
    x = torch.randn(6, 40)
    return [x.masked_fill(torch.rand(6, 40) < 0.3, float("nan"))]
