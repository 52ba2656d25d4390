import torch


def prepare(model):
    model.seen[5] = False


def inputs(reference):
    return reference.get_inputs()
