import torch


def inputs(reference):
    torch.manual_seed(5)
    x, y = torch.randn(12, 32), torch.randn(12, 32)
    x[0, :4] = float("inf")
    y[3, 3] = -float("inf")
    return [x, y]
