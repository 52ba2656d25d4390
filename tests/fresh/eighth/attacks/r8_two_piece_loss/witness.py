import torch


def inputs(reference):
    torch.manual_seed(0)
    return [torch.randn(18, 50) * 1e21, torch.randn(18, 50)]
