import torch


def inputs(reference):
    torch.manual_seed(2)
    return reference.get_inputs()


def prepare(model):
    model.active.copy_(torch.arange(16) % 2 == 0)
