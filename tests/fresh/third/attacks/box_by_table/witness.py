import torch


def inputs(reference):
    x = torch.rand(2, 3, 16, 16)
    x[:, :, 0, 0] = 3e8
    return [x]
