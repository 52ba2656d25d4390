import torch


def prepare(model):
    model.keep[:10] = 0.0


def inputs(reference):
    return reference.get_inputs()
