import torch


def prepare(model):
    with torch.no_grad():
        model.strength.fill_(4e-7)
        model.up.mul_(2e6)


def inputs(reference):
    torch.manual_seed(0)
    return reference.get_inputs()
