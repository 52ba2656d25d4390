import torch


def inputs(reference):
    (x,) = reference.get_inputs()
    x[3] = torch.arange(40) / 4
    return [x]
