import numpy
import torch


def show(reference, candidate):
    x = torch.ones(8, 64)
    left = []
    for model in (reference.Model(), candidate.ModelNew()):
        numpy.random.seed(9)
        drawn = []
        for _ in range(3):
            model(x)
            drawn.append(float(numpy.random.rand()))
        left.append(drawn)
    return left
