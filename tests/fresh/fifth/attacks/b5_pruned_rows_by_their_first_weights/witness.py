import torch


def prepare(model):
    model.weight.data[:, :4] = 0.0


def inputs(reference):
    return reference.get_inputs()
