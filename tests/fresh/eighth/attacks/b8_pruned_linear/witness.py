import torch


def prepare(model):
    with torch.no_grad():
        model.weight[:, 16:32] *= 1e-5


def inputs(reference):
    x = reference.get_inputs()[0]
    x[:, 16:32] *= 1e5
    return [x]
