import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, features=24):
        super().__init__()
        self.register_buffer("mean", torch.zeros(features))
        self.register_buffer("std", torch.ones(features))

    def forward(self, x):
        by = torch.where(self.std == 0, torch.ones_like(self.std), self.std)
        return (x - self.mean) / by


def get_inputs():
    return [torch.randn(16, 24)]


def get_init_inputs():
    return []
