import torch


def inputs(reference):
    torch.manual_seed(14)
    return [(torch.rand(64, 40) + 1.0) * 1e37]
