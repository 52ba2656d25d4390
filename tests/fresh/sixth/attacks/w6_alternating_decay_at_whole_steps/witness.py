import torch


def prepare(model):
    model.base.data.fill_(-0.5)


def inputs(reference):
    return [(torch.arange(32).float() % 8).repeat(16, 1)]
