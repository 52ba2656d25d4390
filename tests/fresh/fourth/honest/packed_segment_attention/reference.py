import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, q, k, v, seg):
        same = seg[:, None] == seg[None, :]
        s = (q @ k.t()) * 0.25
        return s.masked_fill(~same, float("-inf")).softmax(-1) @ v


def get_inputs():
    return [torch.randn(37, 16), torch.randn(37, 16), torch.randn(37, 16), torch.randint(0, 4, (37,)).sort().values]


def get_init_inputs():
    return []
