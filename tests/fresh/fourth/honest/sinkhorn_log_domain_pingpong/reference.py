import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, rounds):
        super().__init__()
        self.rounds = rounds

    def forward(self, x):
        for _ in range(self.rounds):
            x = x - torch.logsumexp(x, -1, keepdim=True)
            x = x - torch.logsumexp(x, -2, keepdim=True)
        return x.exp()


def get_inputs():
    return [torch.randn(2, 6, 7)]


def get_init_inputs():
    return [2]
