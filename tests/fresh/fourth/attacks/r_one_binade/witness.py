import torch


def inputs(reference):
    return [torch.linspace(0.0, 3000.0, 96).reshape(8, 12)]
