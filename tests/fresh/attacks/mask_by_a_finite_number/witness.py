import torch


def inputs(reference):
    return [torch.full((16, 48), -1e10), (torch.arange(48) % 2 == 0).expand(16, 48).contiguous()]
