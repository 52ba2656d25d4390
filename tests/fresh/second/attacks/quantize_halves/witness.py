import torch


def prepare(model):
    with torch.no_grad():
        model.scale.fill_(0.25)


def inputs(reference):
    return [torch.arange(240).reshape(10, 24) / 8 - 15]
