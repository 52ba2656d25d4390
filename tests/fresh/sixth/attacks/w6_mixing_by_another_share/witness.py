import torch


def show(reference, candidate):
    a, b, _ = reference.get_inputs()
    return reference.Model()(a, b, 0.9), candidate.ModelNew()(a, b, 0.9)
