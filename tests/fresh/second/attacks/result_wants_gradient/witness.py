import torch


def show(reference, candidate):
    (x,) = reference.get_inputs()
    with torch.no_grad():
        return reference.Model()(x).requires_grad, candidate.forward(x).requires_grad
