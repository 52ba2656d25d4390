import torch


def inputs(reference):
    t = torch.arange(64) / 64
    return [torch.stack([(k + 1) * torch.sin(6.2831853 * t + 0.3 * k) for k in range(8)])]
