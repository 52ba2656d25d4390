import torch


def inputs(reference):
    return [torch.full((16, 48), -8000.0), (torch.arange(48) % 2 == 0).expand(16, 48).contiguous()]
