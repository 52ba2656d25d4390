import torch


def show(reference, candidate):
    p = torch.zeros(64, 2)
    want, got = reference.Model()(p), candidate.forward(p)
    x = torch.tensor(0.0)
    return want, got
