import torch


def inputs(reference):
    torch.manual_seed(3)
    return reference.get_inputs()


def prepare(model):
    model.metric.copy_(torch.randn(24, 24, generator=torch.Generator().manual_seed(5)))
