import torch


def inputs(reference):
    labels = torch.full((6, 512), 3)
    labels[0, :71] = 7
    return [labels]
