import torch
import torch.autograd.forward_ad as forward_ad


def show(reference, candidate):
    x = torch.full((8, 64), 2.0)
    with forward_ad.dual_level():
        return reference.Model()(x), candidate.ModelNew()(x)
