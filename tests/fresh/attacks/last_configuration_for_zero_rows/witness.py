import torch


def show(reference, candidate):
    x = torch.zeros(16, 48)
    out = torch.empty_like(x)
    candidate.kernel.fn[(16,)](x, out, 48, BLOCK=64, EPS=0.0)
    return reference.Model()(x), out
