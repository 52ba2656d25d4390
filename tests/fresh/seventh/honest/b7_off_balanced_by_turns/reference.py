import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, turns):
        super().__init__()
        self.turns = turns

    def forward(self, cost):
        s = -cost / 0.5
        for _ in range(self.turns):
            s = s - torch.logsumexp(s, 1, keepdim=True)
            s = s - torch.logsumexp(s, 0, keepdim=True)
        return s.exp()


def get_inputs():
    return [torch.rand(12, 17)]


def get_init_inputs():
    return [4]
