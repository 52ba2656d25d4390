import torch


def prepare(model):
    model.weight.data[3] *= 1e-7


def inputs(reference):
    return reference.get_inputs()
