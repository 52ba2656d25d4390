import torch


def inputs(reference):
    x = reference.get_inputs()[0]
    x[11] = float("nan")
    return [x]
