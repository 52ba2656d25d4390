import torch


def prepare(model):
    model.gamma.data[2] = 0.0


def inputs(reference):
    (x,) = reference.get_inputs()
    x[:, 2] = 0.0
    return [x]
