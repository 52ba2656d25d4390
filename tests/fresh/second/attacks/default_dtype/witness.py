import torch


def show(reference, candidate):
    (x,) = reference.get_inputs()
    torch.set_default_dtype(torch.float64)
    return reference.Model()(x), candidate.forward(x)
