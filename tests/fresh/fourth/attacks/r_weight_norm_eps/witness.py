import torch


def prepare(model):
    with torch.no_grad():
        model.weight[4:7] *= 1e-6


def inputs(reference):
    torch.manual_seed(12)
    return [torch.randn(16, 32)]
