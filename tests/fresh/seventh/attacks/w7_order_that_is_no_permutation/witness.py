import torch


def inputs(reference):
    torch.manual_seed(6)
    x = torch.randn(6, 32).half()
    keys = torch.stack([torch.randperm(32) * 3 - 20 for _ in range(6)])
    return [x, keys]
