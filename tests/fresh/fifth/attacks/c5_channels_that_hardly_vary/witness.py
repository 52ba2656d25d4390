import torch


def prepare(model):
    model.var[2] = 1e-5


def inputs(reference):
    return reference.get_inputs()
