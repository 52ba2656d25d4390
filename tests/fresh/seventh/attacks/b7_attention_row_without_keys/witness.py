import torch


def inputs(reference):
    q, k, v, allowed = reference.get_inputs()
    allowed[1, 4] = False
    return [q, k, v, allowed]
