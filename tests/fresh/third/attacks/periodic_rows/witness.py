import torch


def inputs(reference):
    return [torch.sin(torch.arange(8) * 0.7 + 0.2).repeat(8).expand(8, 64).contiguous()]
