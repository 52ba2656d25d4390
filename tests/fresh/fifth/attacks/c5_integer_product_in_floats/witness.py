import torch


def inputs(reference):
    a, b = reference.get_inputs()
    return [a * 35 + 1, b * 35 + 1]
