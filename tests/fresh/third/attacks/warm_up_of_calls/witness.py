import torch


def prepare(model):
    model.calls.fill_(2000)


def inputs(reference):
    return [torch.ones(8, 64)]
