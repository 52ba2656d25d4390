import torch


def prepare(model):
    model.shifts.copy_(torch.tensor([1, -3, 20, 40]))


def inputs(reference):
    torch.manual_seed(57)
    return [torch.randn(3, 4, 16)]
