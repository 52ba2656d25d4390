import torch


def inputs(reference):
    (d,) = reference.get_inputs()
    d[:, ::5] = float("inf")
    return [d]
