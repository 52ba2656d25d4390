import torch


def prepare(model):
    with torch.no_grad():
        model.norm.weight[4:28] *= 2.0
        model.norm.bias[7] = 1.0


def inputs(reference):
    return reference.get_inputs()
