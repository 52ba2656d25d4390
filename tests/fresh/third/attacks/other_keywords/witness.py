import torch


def show(reference, candidate):
    x, low, high = torch.ones(8, 64), torch.zeros(8, 64), torch.full((8, 64), 2.0)
    return reference.Model()(x, low=low, high=high), candidate.ModelNew()(x, low=low, high=high)
