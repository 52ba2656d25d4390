import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, x):
        scale = x.abs().amax(-1, keepdim=True).clamp(min=1e-8) / 127.0
        q = torch.round(x / scale).clamp(-128, 127).to(torch.int8)
        return q, scale


def get_inputs():
    return [torch.randn(12, 75)]


def get_init_inputs():
    return []
