import torch


def prepare(model):
    with torch.no_grad():
        model.conv.bias.fill_(-6.0)


def inputs(reference):
    return reference.get_inputs()
