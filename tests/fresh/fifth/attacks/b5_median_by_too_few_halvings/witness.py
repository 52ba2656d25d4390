import torch


def inputs(reference):
    x = reference.get_inputs()[0]
    x[:, 5] = 1e13
    return [x]
