import torch


def inputs(reference):
    a = torch.rand(64, 2) + 0.2
    return [a, a + 0.0007]
