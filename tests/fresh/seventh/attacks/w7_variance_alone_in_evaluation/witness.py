import torch


def inputs(reference):
    torch.manual_seed(21)
    return [torch.randn(24, 8) * 1e-3]


def prepare(model):
    model.norm.running_var.fill_(1e-7)
    model.eval()
