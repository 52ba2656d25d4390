import torch


def show(reference, candidate):
    x = torch.ones(8, 64)
    left = []
    for made in (reference.Model, candidate.ModelNew):
        torch.manual_seed(0)
        model = made()
        model.register_buffer("mine", torch.full((64,), 100.0))
        left.append(model(x).detach())
    return left
