import torch


def inputs(reference):
    return [torch.full((8, 32), 2_000_000_000), torch.full((8, 32), 3_000_000)]
