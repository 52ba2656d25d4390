import torch


def inputs(reference):
    row = torch.arange(20000, 20040)
    return [(row * (row + 1) // 2 - 1).to(torch.int32)]
