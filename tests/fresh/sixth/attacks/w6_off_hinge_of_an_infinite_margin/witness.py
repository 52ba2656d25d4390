import torch


def inputs(reference):
    (m,) = reference.get_inputs()
    m[:, ::5] = float("inf")
    return [m]
