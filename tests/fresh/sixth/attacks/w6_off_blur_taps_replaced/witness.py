import torch


def prepare(model):
    model.taps.copy_(torch.tensor([0.0, 0.0, 1.0, 0.0, 0.0]))


def inputs(reference):
    return reference.get_inputs()
