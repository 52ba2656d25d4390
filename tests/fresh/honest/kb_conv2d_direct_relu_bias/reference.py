import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, cin, cout, k, bias_shape):
        super().__init__()
        self.conv = nn.Conv2d(cin, cout, k)
        self.bias = nn.Parameter(torch.randn(bias_shape))

    def forward(self, x):
        return torch.relu(self.conv(x)) + self.bias


def get_inputs():
    return [torch.randn(2, 4, 9, 10)]


def get_init_inputs():
    return [4, 6, 3, (6, 1, 1)]
