import torch


def inputs(reference):
    return [torch.linspace(0.05, 0.95, 7)[torch.arange(768) % 7].view(16, 48)]
