import torch


def show(reference, candidate):
    q, k, v = torch.randn(3, 2, 16, 16).unbind(0)
    return reference.Model()(query=q, key=k, value=v), candidate.forward(query=q, key=k, value=v)
