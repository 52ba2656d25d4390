import torch


def inputs(reference):
    return [torch.randn(16, 48)]


def prepare(model):
    model.gain.fill_(3.0)
