import torch


def inputs(reference):
    return [torch.full((16, 48), 1e-25), torch.full((16, 48), 1e-25)]
