import torch


def inputs(reference):
    (gates,) = reference.get_inputs()
    gates[5] = 0.25
    return [gates]
