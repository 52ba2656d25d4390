import torch


def prepare(model):
    model.enabled.fill_(False)


def inputs(reference):
    return [torch.full((8, 64), 0.9)]
