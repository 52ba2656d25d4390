import torch


def inputs(reference):
    return [reference.get_inputs()[0] * 1e-42]
