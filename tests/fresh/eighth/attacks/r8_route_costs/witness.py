import torch


def inputs(reference):
    cost = torch.full((5, 18, 18), 100.0)
    cost[:, 0, 17] = 1.0
    for node in range(17, 1, -1):
        cost[:, node, node - 1] = 1.0
    return [cost]
