import torch


def show(reference, candidate):
    (x,) = reference.get_inputs()
    with torch.autocast("cpu"):
        return reference.Model()(x), candidate.forward(x)
