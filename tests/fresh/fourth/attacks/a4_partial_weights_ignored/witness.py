import torch


def show(reference, candidate):
    x = reference.get_inputs()[0]
    old, new = reference.Model(), candidate.ModelNew()
    for one in (old, new):
        one.load_state_dict({"bias": torch.full((32,), 5.0)}, strict=False)
    with torch.no_grad():
        return old(x), new(x)
