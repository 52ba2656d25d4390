import torch


def show(reference, candidate):
    x = reference.get_inputs()[0] + 1.0
    with torch.inference_mode():
        old, new = reference.Model(), candidate.ModelNew()
        new.load_state_dict(old.state_dict())
    with torch.no_grad():
        return old(x), new(x)
