import torch


def inputs(reference):
    ids = torch.arange(256) % 16
    ids[:200] = 3
    ids[200:] = torch.arange(56) % 2 + 7
    return [ids.expand(2, 256).contiguous()]
