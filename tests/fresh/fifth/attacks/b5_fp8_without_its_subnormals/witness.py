import torch


def inputs(reference):
    x = reference.get_inputs()[0]
    x[2, 3] = 70000.0
    return [x]
