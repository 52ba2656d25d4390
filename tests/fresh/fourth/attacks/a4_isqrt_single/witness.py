import torch


def inputs(reference):
    root = torch.arange(5000, 5000 + 32 * 48).reshape(32, 48)
    return [root * root - 1]
