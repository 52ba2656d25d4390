import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, q, k, cos, sin):
        for t in (q, k):
            even, odd = t[..., 0::2].clone(), t[..., 1::2].clone()
            t[..., 0::2] = even * cos[:, None, :] - odd * sin[:, None, :]
            t[..., 1::2] = odd * cos[:, None, :] + even * sin[:, None, :]
        return q, k


def get_inputs():
    angle = torch.rand(9, 8) * 6
    return [torch.randn(9, 4, 16), torch.randn(9, 2, 16), angle.cos(), angle.sin()]


def get_init_inputs():
    return []
