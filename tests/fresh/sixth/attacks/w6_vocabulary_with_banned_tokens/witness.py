import torch


def prepare(model):
    model.bias.data[:16] = float("-inf")


def inputs(reference):
    return reference.get_inputs()
