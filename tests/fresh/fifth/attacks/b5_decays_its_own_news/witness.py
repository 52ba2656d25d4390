import torch


def show(reference, candidate):
    state = reference.get_inputs()[0]
    one, other = state.clone(), state.clone()
    first = reference.Model()(one, one)
    second = candidate.forward(other, other)
    return [one, first], [other, second]
