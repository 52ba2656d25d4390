import torch


def inputs(reference):
    grad, error = reference.get_inputs()
    grad[:, ::3] = -0.0
    error[:, ::3] = -0.0
    return [grad, error]
