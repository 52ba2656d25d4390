import torch


def show(reference, candidate):
    x = reference.get_inputs()[0]
    given = []
    for one in (reference.Model(8), candidate.ModelNew(8)):
        one.train()
        one.norm.eval()
        with torch.no_grad():
            given.append([one(x), one.norm.running_mean.clone()])
    return given[0], given[1]
