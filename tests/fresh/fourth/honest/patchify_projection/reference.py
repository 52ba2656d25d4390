import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, channels, patch, width):
        super().__init__()
        self.patch = patch
        self.proj = nn.Linear(channels * patch * patch, width)

    def forward(self, x):
        B, C, H, W = x.shape
        p = self.patch
        x = x.view(B, C, H // p, p, W // p, p).permute(0, 2, 4, 1, 3, 5).reshape(B, (H // p) * (W // p), C * p * p)
        return self.proj(x)


def get_inputs():
    return [torch.randn(2, 3, 8, 12)]


def get_init_inputs():
    return [3, 4, 18]
