import torch


def prepare(model):
    model.thresholds.copy_(torch.round(model.thresholds * 4) / 4)


def inputs(reference):
    torch.manual_seed(25)
    return [torch.round(torch.randn(6, 24) * 4) / 4]
