import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return x / (x.pow(2).mean() + 1e-6).sqrt()


def get_inputs():
    return [torch.randn(25, 60)]


def get_init_inputs():
    return []
