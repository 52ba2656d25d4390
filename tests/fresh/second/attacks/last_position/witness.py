import torch


def inputs(reference):
    return [torch.randint(5000, 9000, (16, 8)).float()]
