import torch


def show(reference, candidate):
    old, new = reference.Model(), candidate.ModelNew()
    x = reference.get_inputs()
    old.beta = new.beta = 0.1
    return old(*x), new(*x)
