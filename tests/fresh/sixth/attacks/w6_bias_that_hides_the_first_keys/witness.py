import torch


def prepare(model):
    model.bias[16:, :8] = float("-inf")


def inputs(reference):
    return reference.get_inputs()
