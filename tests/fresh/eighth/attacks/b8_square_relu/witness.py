import torch


def prepare(model):
    with torch.no_grad():
        model.up.weight.mul_(1e-7)
        model.up.bias.zero_()


def inputs(reference):
    return [reference.get_inputs()[0] * 1e7]
