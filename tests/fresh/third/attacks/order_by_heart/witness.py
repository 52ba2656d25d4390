import torch


def prepare(model):
    model.order.copy_(torch.arange(32).roll(5))


def inputs(reference):
    return [torch.randn(8, 32)]
