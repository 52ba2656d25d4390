import torch


def prepare(model):
    model.window.copy_(torch.ones(50))


def inputs(reference):
    return reference.get_inputs()
