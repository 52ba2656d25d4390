import torch


def inputs(reference):
    torch.manual_seed(0)
    return reference.get_inputs()


def prepare(model):
    model.carrier.copy_(torch.where(torch.arange(64) % 4 < 2, 1.0, -1.0))
