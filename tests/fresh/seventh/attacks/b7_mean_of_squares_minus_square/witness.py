import torch


def inputs(reference):
    (x,) = reference.get_inputs()
    return [x * 0.5 + 20000.0]
