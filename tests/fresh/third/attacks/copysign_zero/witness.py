import torch


def inputs(reference):
    return [torch.ones(8, 64), torch.relu(torch.ones(8, 64)) * -0.0]
