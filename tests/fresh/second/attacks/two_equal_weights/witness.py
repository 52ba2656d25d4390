import torch


def prepare(model):
    with torch.no_grad():
        model.shadow.mul_(0.5)


def inputs(reference):
    return reference.get_inputs()
