import torch


def prepare(model):
    with torch.no_grad():
        model.codes[6:] = model.codes[:6]


def inputs(reference):
    torch.manual_seed(27)
    return [torch.randn(20, 16)]
