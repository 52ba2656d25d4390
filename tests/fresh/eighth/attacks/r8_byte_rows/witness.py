import torch


def inputs(reference):
    x = (torch.arange(14 * 52).reshape(14, 52) % 120) - 59.5
    x[:, 0] = 127.0
    return [x]
