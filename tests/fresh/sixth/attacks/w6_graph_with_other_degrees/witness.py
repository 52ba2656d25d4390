import torch


def prepare(model):
    model.seen[:, 0] = True
    model.seen[3, :10] = True


def inputs(reference):
    return reference.get_inputs()
