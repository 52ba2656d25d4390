import torch


def inputs(reference):
    (x,) = reference.get_inputs()
    return [torch.round(x * 2) / 2]
