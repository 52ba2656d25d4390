import torch


def show(reference, candidate):
    old, new = reference.Model(), candidate.ModelNew()
    x = reference.get_inputs()
    old.temperature = new.temperature = 0.2
    return old(*x), new(*x)
