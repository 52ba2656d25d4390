import math

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("step", torch.zeros((), dtype=torch.int64))

    def forward(self, p, g):
        share = (self.step / 3000.0).clamp(max=1.0)
        rate = 0.01 + 0.5 * (1 + torch.cos(math.pi * share)) * 0.09
        self.step += 1
        return p - rate * torch.sign(g)


def get_inputs():
    return [torch.randn(25, 20), torch.randn(25, 20)]


def get_init_inputs():
    return []
