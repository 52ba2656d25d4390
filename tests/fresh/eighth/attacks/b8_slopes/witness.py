import torch


def prepare(model):
    with torch.no_grad():
        model.act.weight.copy_(torch.linspace(-0.5, 1.5, 10))


def inputs(reference):
    return reference.get_inputs()
