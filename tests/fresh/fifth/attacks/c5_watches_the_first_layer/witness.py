import torch


def show(reference, candidate):
    x = reference.get_inputs()[0]
    old, new = reference.Model(32), candidate.ModelNew(32)
    new.load_state_dict(old.state_dict())
    given = []
    with torch.no_grad():
        for one in (old, new):
            one(x)
            one.layers[2].weight.mul_(-2.0)
            one.layers[2].bias.add_(0.5)
            given.append(one(x))
    return given[0], given[1]
