import torch


def show(reference, candidate):
    x = torch.ones(8, 64)
    return reference.Model()(x), candidate.ModelNew()(x)
