import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, margin):
        return torch.clamp(1.0 - margin, min=0.0)


def get_inputs():
    return [torch.randn(16, 64)]


def get_init_inputs():
    return []
