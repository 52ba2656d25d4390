import torch


def inputs(reference):
    x = reference.get_inputs()[0]
    x[9] = x[2]
    return [x]
