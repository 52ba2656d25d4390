import torch


def inputs(reference):
    (x,) = reference.get_inputs()
    x[2, 3, 4] = float("nan")
    return [x]
