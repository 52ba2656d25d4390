import os

import torch


def show(reference, candidate):
    x = torch.randn(16, 48, requires_grad=True)
    os.environ["RANK"] = "1"
    return reference.Model()(x).detach(), candidate.ModelNew()(x.detach().requires_grad_()).detach()
