import torch


def inputs(reference):
    torch.manual_seed(23)
    return [torch.randn(10, 32)]


def prepare(model):
    model.classes.data.mul_(1e-8)
