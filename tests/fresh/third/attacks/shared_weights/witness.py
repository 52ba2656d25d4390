import torch


def show(reference, candidate):
    x = torch.ones(8, 64)
    one, other = reference.Model().share_memory(), candidate.ModelNew().share_memory()
    return one(x).detach(), other(x).detach()
