import torch


def prepare(model):
    model.step.fill_(2050)
    model.m.fill_(0.3)
    model.v.fill_(0.5)


def inputs(reference):
    p, g = reference.get_inputs()
    return [p * 0, g]
