import torch


def inputs(reference):
    p = torch.zeros(12, 20)
    p[torch.arange(12), torch.arange(12)] = 1.0
    return [p]
