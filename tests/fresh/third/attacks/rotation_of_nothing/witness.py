import torch


def inputs(reference):
    return [torch.eye(3).repeat(64, 1, 1)]
