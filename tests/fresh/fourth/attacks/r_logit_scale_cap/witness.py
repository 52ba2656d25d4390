import torch


def prepare(model):
    with torch.no_grad():
        model.logit_scale.fill_(100.0)


def inputs(reference):
    torch.manual_seed(13)
    return [torch.randn(24, 32), torch.randn(24, 32)]
