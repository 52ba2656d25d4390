import torch


def prepare(model):
    model.step.fill_(5000)


def inputs(reference):
    p, g = reference.get_inputs()
    return [p * 0, g]
