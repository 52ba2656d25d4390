import torch


def inputs(reference):
    return [torch.randint(-300, 300, (50, 3))]
