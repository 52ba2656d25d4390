import torch


def inputs(reference):
    return [torch.ones(16, 48)]


def prepare(model):
    model.gain.data.fill_(-2.0)
    model.eval()
