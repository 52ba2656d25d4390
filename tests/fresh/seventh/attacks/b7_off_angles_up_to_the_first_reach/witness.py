import torch


def show(reference, candidate):
    new = candidate.ModelNew()
    (positions,) = reference.get_inputs()
    new(positions)
    return reference.Model()(positions + 40), new(positions + 40)
