import torch


def prepare(model):
    pass


def show(reference, candidate):
    x, residual = (0.05 * one for one in reference.get_inputs())
    given = []
    for one in (reference.Model(48), candidate.ModelNew(48)):
        one.norm.eps = 1e-3
        with torch.no_grad():
            given.append(one(x, residual))
    return given[0], given[1]
