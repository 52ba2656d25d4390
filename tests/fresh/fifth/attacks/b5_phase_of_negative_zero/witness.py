import torch


def inputs(reference):
    real, imaginary = reference.get_inputs()
    imaginary[:, 0] = -0.0
    return [real, imaginary]
