import torch


def show(reference, candidate):
    old, new = reference.Model(), candidate.ModelNew()
    new.load_state_dict(old.state_dict())
    old.blocks[1] = new.blocks[1] = torch.nn.Linear(16, 16)
    x = reference.get_inputs()[0] + 1.0
    return old(x).detach(), new(x)
