import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.var_mean(x, dim=1, correction=1, keepdim=True)


def get_inputs():
    return [torch.randn(4, 29, 18)]


def get_init_inputs():
    return []
