import torch


def inputs(reference):
    cost = torch.full((2, 32, 32), 1000.0)
    cost[:, torch.arange(31), torch.arange(1, 32)] = 1.0
    return [cost]
