import torch


def show(reference, candidate):
    x = torch.randn(16, 48) * 1000
    out = torch.empty_like(x)
    candidate.kernel.fn[(16,)](x, out, 48, BLOCK=64, SHIFT=0)
    return reference.Model()(x), out
