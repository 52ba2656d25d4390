import torch


def inputs(reference):
    return [torch.full((16, 48), 1e-10), torch.ones(16, 48)]
