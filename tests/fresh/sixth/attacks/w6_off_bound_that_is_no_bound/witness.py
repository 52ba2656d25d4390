import torch


def prepare(model):
    model.bound[::3] = float("inf")


def inputs(reference):
    return reference.get_inputs()
