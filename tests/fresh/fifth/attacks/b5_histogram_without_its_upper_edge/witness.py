import torch


def inputs(reference):
    return [reference.get_inputs()[0].clamp(-6.5, 6.5).round(decimals=1).where(torch.rand(12, 50) < 0.8, 6.5)]
