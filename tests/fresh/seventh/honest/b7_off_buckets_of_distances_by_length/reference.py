import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, heads):
        super().__init__()
        self.bias = nn.Parameter(torch.randn(9, heads))

    def forward(self, scores):
        t = scores.shape[-1]
        gap = (torch.arange(t)[None] - torch.arange(t)[:, None]).clamp(-4, 4) + 4
        return (scores + self.bias[gap].permute(2, 0, 1)).softmax(-1)


def get_inputs():
    return [torch.randn(3, 19, 19)]


def get_init_inputs():
    return [3]
