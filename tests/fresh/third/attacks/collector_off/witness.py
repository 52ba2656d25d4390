import torch


import gc


def show(reference, candidate):
    x = torch.randn(8, 64)
    left = []
    for model in (reference.Model(), candidate.ModelNew()):
        gc.enable()
        model(x, x)
        left.append(gc.isenabled())
    gc.enable()
    return left
