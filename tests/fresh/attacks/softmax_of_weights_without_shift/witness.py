import torch


def inputs(reference):
    return [torch.ones(16, 48)]


def prepare(model):
    model.logits.data.mul_(100.0)
