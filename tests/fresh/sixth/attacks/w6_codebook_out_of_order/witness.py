import torch


def prepare(model):
    model.levels.copy_(model.levels[torch.arange(16) * 7 % 16])


def inputs(reference):
    return reference.get_inputs()
