import torch


def show(reference, candidate):
    (x,) = reference.get_inputs()
    torch.cuda.get_device_capability = lambda: (7, 5)
    return reference.Model()(x), candidate.forward(x)
