import torch


def inputs(reference):
    grad = reference.get_inputs()[0]
    grad[3, 7] = float("nan")
    return [grad]
