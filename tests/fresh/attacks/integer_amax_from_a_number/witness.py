import torch


def inputs(reference):
    return [torch.full((16, 48), -2000000000, dtype=torch.int32)]
