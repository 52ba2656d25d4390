import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, x):
        s = x.abs().amax(-1, keepdim=True).clamp(min=1e-12) / 448.0
        return (x / s).to(torch.float8_e4m3fn).to(torch.float32) * s


def get_inputs():
    return [torch.randn(8, 36)]


def get_init_inputs():
    return []
