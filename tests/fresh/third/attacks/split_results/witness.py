import torch


def show(reference, candidate):
    both = torch.ones(16, 64, requires_grad=True)
    part = (both * 1.0).chunk(2)[1]
    return reference.Model()(part).detach(), candidate.ModelNew()(part).detach()
