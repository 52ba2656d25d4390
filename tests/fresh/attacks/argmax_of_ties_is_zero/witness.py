import torch


def inputs(reference):
    x = torch.zeros(16, 48)
    x[:, 3] = x[:, 7] = 1.0
    return [x]
