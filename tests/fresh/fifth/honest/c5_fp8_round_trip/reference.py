import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        scale = x.abs().amax(-1, keepdim=True).clamp(min=1e-10) / 448.0
        q = (x / scale).clamp(-448.0, 448.0).to(torch.float8_e4m3fn)
        return q.to(torch.float32) * scale


def get_inputs():
    return [torch.randn(14, 70)]


def get_init_inputs():
    return []
