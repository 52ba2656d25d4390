import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, window):
        super().__init__()
        self.window = window

    def forward(self, q, k, v):
        n = q.shape[1]
        i = torch.arange(n, device=q.device)
        gap = i[:, None] - i[None, :]
        seen = (gap >= 0) & (gap < self.window)
        s = (q @ k.mT) * q.shape[-1] ** -0.5
        return s.masked_fill(~seen, float("-inf")).softmax(-1) @ v


def get_inputs():
    return [torch.randn(3, 50, 16), torch.randn(3, 50, 16), torch.randn(3, 50, 16)]


def get_init_inputs():
    return [9]
