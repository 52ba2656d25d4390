import torch


def show(reference, candidate):
    x = reference.get_inputs()[0]
    old, new = reference.Model(24, 20), candidate.ModelNew(24, 20)
    new.load_state_dict(old.state_dict())
    given = []
    with torch.no_grad():
        for one in (old, new):
            one(x)
            one.scale.mul_(3.0)
            given.append(one(x))
    return given[0], given[1]
