import torch


def show(reference, candidate):
    x = torch.linspace(-70.0, 70.0, 1024).repeat(6, 1)
    return reference.Model()(x)[:, -8:], candidate.ModelNew()(x)[:, -8:]
