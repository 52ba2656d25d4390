import torch


def inputs(reference):
    return [torch.full((16, 48), 200.0)]


def prepare(model):
    model.eval()
