import torch


def prepare(model):
    model.std.copy_(torch.tensor([0.2, 0.01, 0.3, 0.02]))


def inputs(reference):
    torch.manual_seed(8)
    return [torch.rand(2, 4, 8, 8)]
