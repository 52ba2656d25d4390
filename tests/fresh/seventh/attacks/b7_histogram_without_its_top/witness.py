import torch


def inputs(reference):
    (x,) = reference.get_inputs()
    x[:70] = 2.0
    return [x]
