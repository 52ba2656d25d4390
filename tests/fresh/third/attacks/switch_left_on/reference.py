import torch
from torch import nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("enabled", torch.ones((), dtype=torch.bool))

    def forward(self, x):
        stepped = torch.floor(x * 4) / 4
        return torch.where(self.enabled, stepped, x)


def get_inputs():
    return [torch.randn(8, 64)]


def get_init_inputs():
    return []
