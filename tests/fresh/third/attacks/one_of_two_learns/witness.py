import torch


def show(reference, candidate):
    x, target = torch.ones(8, 64, requires_grad=True), torch.full((8, 64), 3.0)
    return reference.Model()(x, target).detach(), candidate.forward(x, target).detach()
