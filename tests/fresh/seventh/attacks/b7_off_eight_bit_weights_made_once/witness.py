import torch


def show(reference, candidate):
    model, new = reference.Model(32, 24), candidate.ModelNew(32, 24)
    new.load_state_dict(model.state_dict())
    (x,) = reference.get_inputs()
    new(x)
    other = reference.Model(32, 24)
    new.load_state_dict(other.state_dict())
    return other(x), new(x)
