import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.anchors = nn.Parameter(torch.randn(8, 16))

    def forward(self, x):
        d = (x[:, None] - self.anchors[None]).square().sum(-1).sqrt()
        return 1.0 / (d + 1e-6)


def get_inputs():
    return [torch.randn(16, 16)]


def get_init_inputs():
    return []
