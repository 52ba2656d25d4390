import torch


def inputs(reference):
    torch.manual_seed(1)
    return reference.get_inputs()


def prepare(model):
    model.visible.copy_(torch.ones(24, 24).tril().bool() & torch.ones(24, 24).triu(-3).bool())
