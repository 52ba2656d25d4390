import torch


def prepare(model):
    model.offsets.copy_(torch.linspace(-1.0, 1.0, 40))


def inputs(reference):
    torch.manual_seed(7)
    return [torch.randn(16, 40)]
