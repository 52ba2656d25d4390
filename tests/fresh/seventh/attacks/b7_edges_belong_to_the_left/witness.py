import torch


def inputs(reference):
    (x,) = reference.get_inputs()
    x[2, 3], x[4, 4] = 0.75, -1.5
    return [x]
