import torch


def show(reference, candidate):
    one, other = torch.ones(16, 48), torch.ones(16, 48)
    return [reference.Model()(one, one), one], [candidate.forward(other, other), other]
