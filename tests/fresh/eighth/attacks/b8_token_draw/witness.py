import torch


def inputs(reference):
    return [torch.zeros(20, 64), (torch.arange(20, dtype=torch.float32) / 64)[:, None]]
