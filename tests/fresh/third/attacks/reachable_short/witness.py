import torch


def inputs(reference):
    edges = torch.zeros(2, 32, 32, dtype=torch.bool)
    edges[:, torch.arange(31), torch.arange(1, 32)] = True
    return [edges]
