import torch


def prepare(model):
    model.places.copy_(torch.arange(32) // 2)


def inputs(reference):
    torch.manual_seed(56)
    return [torch.randn(8, 32)]
