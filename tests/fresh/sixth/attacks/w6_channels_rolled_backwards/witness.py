import torch


def prepare(model):
    model.shift.copy_(torch.arange(8) * 3 - 12)


def inputs(reference):
    return reference.get_inputs()
