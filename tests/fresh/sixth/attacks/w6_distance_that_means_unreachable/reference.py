import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, d):
        near = torch.where(d < 3.0, d, 3.0)
        return (3.0 - near) * (3.0 - near)


def get_inputs():
    return [torch.rand(16, 64) * 5]


def get_init_inputs():
    return []
