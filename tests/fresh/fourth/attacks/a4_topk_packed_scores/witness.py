import torch


def inputs(reference):
    score = torch.linspace(0.1, 0.9, 32).repeat(24, 1)
    score[:, 3] = 2.0
    score[:, 9] = 2.000001
    return [score]
