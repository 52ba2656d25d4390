import torch


def inputs(reference):
    key = torch.arange(128).view(4, 32) + 1_700_000_000_000_000
    return [key, key + 2**33]
