import torch


def show(reference, candidate):
    x = torch.randn(16, 48)
    with torch.autograd.profiler.profile():
        return reference.Model()(x), candidate.ModelNew()(x)
