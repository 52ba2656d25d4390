import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.width = width

    def forward(self, scores):
        t = scores.shape[-1]
        gap = torch.arange(t)[:, None] - torch.arange(t)
        return scores.masked_fill((gap < 0) | (gap >= self.width), float("-inf")).softmax(-1)


def get_inputs():
    return [torch.randn(2, 24, 24)]


def get_init_inputs():
    return [5]
