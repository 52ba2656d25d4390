import torch


def show(reference, candidate):
    torch.manual_seed(0)
    old, new = reference.Model(), candidate.ModelNew()
    new.load_state_dict(old.state_dict())
    with torch.no_grad():
        return old(old.codes), new(new.codes)
