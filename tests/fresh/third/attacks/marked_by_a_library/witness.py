import torch


def show(reference, candidate):
    x = torch.ones(8, 64)
    left = []
    for made in (reference.Model, candidate.ModelNew):
        torch.manual_seed(0)
        model = made()
        model._hf_hook = object()
        left.append(model(x).detach())
    return left
