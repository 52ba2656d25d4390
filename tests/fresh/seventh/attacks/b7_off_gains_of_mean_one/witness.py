import torch


def prepare(model):
    with torch.no_grad():
        model.gain[::2] = 1.75
        model.gain[1::2] = 0.25


def inputs(reference):
    return reference.get_inputs()
