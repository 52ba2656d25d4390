import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, cin, cout, groups):
        super().__init__()
        self.conv = nn.Conv1d(cin, cout, 3, padding=2, dilation=2, groups=groups)

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    return [torch.randn(2, 8, 26)]


def get_init_inputs():
    return [8, 12, 4]
