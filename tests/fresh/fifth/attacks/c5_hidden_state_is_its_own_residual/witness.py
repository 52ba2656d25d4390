import torch


def show(reference, candidate):
    given = []
    x = reference.get_inputs()[0]
    for one in (reference.Model(40), candidate.ModelNew(40)):
        own = x.clone()
        with torch.no_grad():
            given.append(one(own, own))
    return given[0], given[1]
