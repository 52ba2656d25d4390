import torch
from torch import nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, p):
        x, y = torch.tanh(p[:, 0]) * 0.1, torch.tanh(p[:, 1]) * 0.1
        for _ in range(100):
            x, y = 1 - 1.4 * x * x + y, 0.3 * x
        return torch.stack((x, y), 1)


def get_inputs():
    return [torch.randn(64, 2)]


def get_init_inputs():
    return []
