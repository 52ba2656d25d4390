import torch


def show(reference, candidate):
    left = []
    for made in (reference.Model, candidate.ModelNew):
        model = made()
        model(torch.ones(8, 64))
        left.append(model(torch.full((8, 64), 7.0)))
    return left
