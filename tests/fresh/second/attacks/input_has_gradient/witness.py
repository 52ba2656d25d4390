import torch


def show(reference, candidate):
    (x,) = reference.get_inputs()
    x.requires_grad_()
    x.grad = torch.zeros_like(x)
    return reference.Model()(x).detach(), candidate.forward(x)
