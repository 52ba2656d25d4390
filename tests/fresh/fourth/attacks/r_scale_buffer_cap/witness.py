import torch


def prepare(model):
    model.scale.fill_(4.0)


def inputs(reference):
    torch.manual_seed(9)
    return [torch.randn(8, 64) * 100]
