import torch


def inputs(reference):
    torch.manual_seed(23)
    keep = torch.ones(20, 64, dtype=torch.bool)
    keep[torch.arange(20), torch.arange(20) + 10] = False
    return [torch.randn(20, 64), keep]
