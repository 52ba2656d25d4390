import torch


def inputs(reference):
    torch.manual_seed(1)
    return [torch.randint(1_764_000_000, 1_764_100_000, (32, 44))]
