import torch


def show(reference, candidate):
    x = torch.arange(512.0).view(8, 64) + 1
    with torch.autograd.set_multithreading_enabled(False):
        return reference.Model()(x), candidate.ModelNew()(x)
