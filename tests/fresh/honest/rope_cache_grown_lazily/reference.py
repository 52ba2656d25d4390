import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        T, D = x.shape[-2], x.shape[-1]
        inv = torch.exp2(torch.arange(0, D, 2, device=x.device).float() * (-8.0 / D))
        angle = torch.arange(T, device=x.device).float()[:, None] * inv
        a, b = x[..., : D // 2], x[..., D // 2 :]
        c, s = angle.cos(), angle.sin()
        return torch.cat([a * c - b * s, b * c + a * s], -1)


def get_inputs():
    return [torch.randn(2, 3, 10, 16)]


def get_init_inputs():
    return []
