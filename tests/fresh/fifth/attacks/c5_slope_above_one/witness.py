import torch


def prepare(model):
    model.act.weight.data.fill_(1.6)


def inputs(reference):
    return reference.get_inputs()
