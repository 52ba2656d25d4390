import torch


def show(reference, candidate):
    x = torch.eye(16)
    left = []
    for made in (reference.Model, candidate.ModelNew):
        torch.manual_seed(0)
        layers = [made() for _ in range(16)]
        left.append([layer(x).detach() for layer in layers])
    return left
