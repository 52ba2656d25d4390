import torch


def inputs(reference):
    low = torch.randint(1_200_000_000, 2_000_000_000, (32, 32), dtype=torch.int32)
    return [low, low + 500]
