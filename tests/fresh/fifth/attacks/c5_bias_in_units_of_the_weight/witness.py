import torch


def prepare(model):
    model.bias.data.normal_()
    model.weight.data[5] = 0.0
    model.bias.data[5] = 0.7


def inputs(reference):
    return reference.get_inputs()
