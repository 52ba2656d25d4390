import torch


def show(reference, candidate):
    x = torch.full((8, 64), 5.0)
    one, other = reference.Model(), candidate.ModelNew()
    other.load_state_dict(one.state_dict())
    for model in (one, other):
        model.gain.requires_grad_(False)
    return one(x).detach(), other(x).detach()
