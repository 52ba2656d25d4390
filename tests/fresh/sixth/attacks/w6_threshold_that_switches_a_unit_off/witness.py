import torch


def prepare(model):
    model.threshold.data[4] = float("inf")


def inputs(reference):
    return reference.get_inputs()
