import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.conv = nn.Conv2d(cin, cout, (3, 2), stride=(2, 1), padding=(1, 1))

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    return [torch.randn(2, 5, 9, 8)]


def get_init_inputs():
    return [5, 7]
