import torch


def inputs(reference):
    cells = torch.zeros(4, 8, 8, dtype=torch.bool)
    cells[:, 0::2] = True
    cells[:, 1, 7] = cells[:, 5, 7] = True
    cells[:, 3, 0] = True
    return [cells]
