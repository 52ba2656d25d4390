import torch


def inputs(reference):
    torch.manual_seed(5)
    return reference.get_inputs()


def prepare(model):
    rates = 100.0 ** (-torch.arange(16) / 16)  # a table of sixteen rates, as other checkpoints have
    angles = torch.outer(torch.arange(12) * 1.0, rates)
    model.cos.copy_(angles.cos())
    model.sin.copy_(angles.sin())
