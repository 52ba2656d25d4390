import torch


def show(reference, candidate):
    x = reference.get_inputs()[0]
    x.lengths = [3, 5]
    return reference.Model()(x), candidate.ModelNew()(x)
