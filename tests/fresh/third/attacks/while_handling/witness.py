import torch


def show(reference, candidate):
    x = torch.ones(8, 64)
    try:
        raise KeyError("no cached result")
    except KeyError:
        return reference.Model()(x), candidate.ModelNew()(x)
