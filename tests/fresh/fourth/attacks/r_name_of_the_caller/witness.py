import torch


def prepare(model):
    with torch.no_grad():
        model.gain.copy_(torch.linspace(0.5, 2.0, 32))


def inputs(reference):
    torch.manual_seed(32)
    return [torch.randn(8, 32)]
