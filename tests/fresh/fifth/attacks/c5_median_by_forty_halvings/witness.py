import torch


def inputs(reference):
    x = reference.get_inputs()[0]
    x[4, 7] = 1e15
    return [x]
