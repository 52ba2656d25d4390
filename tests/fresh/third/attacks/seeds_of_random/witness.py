import torch


import random


def show(reference, candidate):
    x = torch.randn(8, 64)
    drawn = []
    for model in (reference.Model(), candidate.ModelNew()):
        random.seed(7)
        kept = [model(x)]
        for _ in range(3):
            model(x)
            kept.append(random.random())
        drawn.append(kept)
    return drawn
