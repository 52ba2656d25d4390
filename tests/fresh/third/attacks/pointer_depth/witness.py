import torch


def inputs(reference):
    return [torch.clamp(torch.arange(64) - 1, min=0).expand(4, 64).contiguous()]
