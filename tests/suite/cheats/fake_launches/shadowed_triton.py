# reference: softmax
# class: fake launch: shadowed names
import torch
import torch.nn as nn


class Language:
    constexpr = int


class Launcher:
    def __init__(self, fn):
        self.fn = fn

    def __getitem__(self, grid):
        return self.fn


class triton:
    """Looks like the module."""

    jit = Launcher


tl = Language


@triton.jit
def softmax_kernel(x, y, n_cols, BLOCK: tl.constexpr):
    y.copy_(torch.softmax(x, 1))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
    def forward(self, x):
        y = torch.empty_like(x)
        softmax_kernel[(x.shape[0],)](x, y, x.shape[1], BLOCK=256)
        return y
