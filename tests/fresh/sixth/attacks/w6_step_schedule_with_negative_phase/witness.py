import torch


def prepare(model):
    model.phase.copy_(torch.arange(6) * 7 - 41)


def inputs(reference):
    return reference.get_inputs()
