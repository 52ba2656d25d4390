import torch


def inputs(reference):
    x = torch.full((16, 20), 999999)
    x[:, 0] = 999998
    return [x]
