import torch


def show(reference, candidate):
    x = reference.get_inputs()[0]
    old, new = reference.Model(), candidate.ModelNew()
    with torch.no_grad():
        return old(old(x)), new(new(x))
