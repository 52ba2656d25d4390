import torch


def prepare(model):
    model.chosen.fill_(700_000_003)


def inputs(reference):
    return reference.get_inputs()
