import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("taps", torch.tensor([0.0625, 0.25, 0.375, 0.25, 0.0625]))

    def forward(self, x):
        n, c, h, w = x.shape
        flat = F.pad(x.reshape(n * c, 1, h, w), (2, 2, 2, 2), mode="reflect")
        flat = F.conv2d(flat, self.taps.view(1, 1, 1, 5))
        return F.conv2d(flat, self.taps.view(1, 1, 5, 1)).view(n, c, h, w)


def get_inputs():
    return [torch.randn(2, 3, 8, 10)]


def get_init_inputs():
    return []
