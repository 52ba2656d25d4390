import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, rate):
        super().__init__()
        self.rate = rate

    def forward(self, a, ga, b, gb, c, gc):
        for p, g in ((a, ga), (b, gb), (c, gc)):
            p.sub_(self.rate * torch.sign(g)).clamp_(-3.0, 3.0)
        return a, b, c


def get_inputs():
    shapes = ((5, 7), (5, 7), (40,), (40,), (2, 3, 4), (2, 3, 4))
    return [torch.randn(s) for s in shapes]


def get_init_inputs():
    return [0.05]
