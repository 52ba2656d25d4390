import torch


def prepare(model):
    with torch.no_grad():
        model.temperature.fill_(0.07)


def inputs(reference):
    torch.manual_seed(11)
    return [torch.randn(16, 32)]
