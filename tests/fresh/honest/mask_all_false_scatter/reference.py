import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, mask):
        return torch.where(mask[:, None], x, 0.0).sum(0)


def get_inputs():
    return [torch.randn(20, 11), torch.rand(20) > 0.5]


def get_init_inputs():
    return []
