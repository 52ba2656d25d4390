import torch


def inputs(reference):
    event = torch.zeros(20, 64, dtype=torch.bool)
    event[:, 3] = True
    return [event]
