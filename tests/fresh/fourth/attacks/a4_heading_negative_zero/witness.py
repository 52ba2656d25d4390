import torch


def inputs(reference):
    x, y = reference.get_inputs()
    return [x, y * 0.0]
