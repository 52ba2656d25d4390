import torch


def prepare(model):
    model.std[5] = 0.0


def inputs(reference):
    return reference.get_inputs()
