import torch


def show(reference, candidate):
    given = []
    x = reference.get_inputs()[0] + 2.0
    for one in (reference.Model(20), candidate.ModelNew(20)):
        one.train()
        one.bn.eval()
        with torch.no_grad():
            given.append([one(x), one.bn.running_mean.clone()])
    return given[0], given[1]
