import torch


def show(reference, candidate):
    x = reference.get_inputs()
    given = []
    for one in (reference.Model(1.0), candidate.ModelNew(1.0)):
        one(*x)
        one.temperature = 0.25
        given.append(one(*x))
    return given[0], given[1]
