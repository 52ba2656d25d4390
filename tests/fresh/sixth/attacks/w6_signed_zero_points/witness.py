import torch


def prepare(model):
    model.zero_point.copy_(torch.arange(8) * 5 - 20)


def inputs(reference):
    return reference.get_inputs()
