import torch


def prepare(model):
    model.lag.copy_(torch.arange(8) * 4 - 20)


def inputs(reference):
    return reference.get_inputs()
