import torch


def show(reference, candidate):
    x = torch.ones(8, 64)
    one, other = reference.Model(), candidate.ModelNew()
    other.load_state_dict(one.state_dict())
    for model in (one, other):
        for weight in model.parameters():
            weight._is_hf_initialized = True
    return one(x).detach(), other(x).detach()
