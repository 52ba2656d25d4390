import torch


def prepare(model):
    model.order[10:] = model.order[9]


def inputs(reference):
    return reference.get_inputs()
