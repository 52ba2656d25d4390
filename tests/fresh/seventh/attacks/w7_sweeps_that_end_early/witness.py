import torch


def inputs(reference):
    lengths = torch.full((4, 16, 16), 100.0)
    for node in range(1, 15):
        lengths[:, node + 1, node] = 1.0
    lengths[:, 0, 15] = 1.0
    return [lengths]
