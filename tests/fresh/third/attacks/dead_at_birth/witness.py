import torch


def show(reference, candidate):
    x = torch.ones(16, 32)
    made = []
    for model in (reference.Model, candidate.ModelNew):
        torch.manual_seed(3)
        made.append(model()(x).detach())
    return made
