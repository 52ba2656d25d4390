import torch


def prepare(model):
    with torch.no_grad():
        model.bias.copy_(torch.linspace(-2.0, 2.0, 32))


def inputs(reference):
    torch.manual_seed(47)
    return [torch.randn(8, 32)]
