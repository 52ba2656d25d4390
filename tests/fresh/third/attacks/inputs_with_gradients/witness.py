import torch


def show(reference, candidate):
    x = torch.ones(8, 64, requires_grad=True)
    x.square().sum().backward()
    y = torch.zeros(8, 64)
    return reference.Model()(x, y).detach(), candidate.ModelNew()(x, y).detach()
