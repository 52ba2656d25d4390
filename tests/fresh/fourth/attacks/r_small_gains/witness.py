import torch


def prepare(model):
    with torch.no_grad():
        model.norm.weight.copy_(torch.linspace(0.02, 0.5, 64))


def inputs(reference):
    torch.manual_seed(10)
    return [torch.randn(16, 64)]
