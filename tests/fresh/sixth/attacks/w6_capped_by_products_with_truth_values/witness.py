import torch


def inputs(reference):
    x, gain = reference.get_inputs()
    x[:, ::7] = float("inf")
    return [x, gain]
