import torch


def inputs(reference):
    torch.manual_seed(4)
    return reference.get_inputs()


def prepare(model):
    model.target.copy_(torch.linspace(0.2, 2.0, 20))
