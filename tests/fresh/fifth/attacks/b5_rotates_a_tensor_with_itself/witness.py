import torch


def show(reference, candidate):
    a, _, angle = reference.get_inputs()
    one, other = a.clone(), a.clone()
    first = reference.Model()(one, one, angle)
    second = candidate.forward(other, other, angle)
    return [first, one], [second, other]
