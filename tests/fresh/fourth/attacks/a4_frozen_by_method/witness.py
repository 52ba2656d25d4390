import torch


def show(reference, candidate):
    wanted = []
    for one in (reference.Model(), candidate.ModelNew()):
        one.requires_grad_(False)
        wanted.append([parameter.requires_grad for parameter in one.parameters()])
    return wanted[0], wanted[1]
