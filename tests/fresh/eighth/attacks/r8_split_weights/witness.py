import torch


def prepare(model):
    with torch.no_grad():
        model.weight[3].mul_(1e6)
        model.weight[5].mul_(1e-12)
        model.size[5] = 1e12
        model.size[3] = 1e-6


def inputs(reference):
    torch.manual_seed(0)
    return reference.get_inputs()
