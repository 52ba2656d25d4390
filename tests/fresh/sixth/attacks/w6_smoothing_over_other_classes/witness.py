import torch


def prepare(model):
    model.allowed[::2] = False


def inputs(reference):
    return reference.get_inputs()
