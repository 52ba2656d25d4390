import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, a, b):
        top = torch.maximum(a[:, None, :2], b[None, :, :2])
        low = torch.minimum(a[:, None, 2:], b[None, :, 2:])
        inter = (low - top).clamp(min=0).prod(-1)
        area_a = (a[:, 2:] - a[:, :2]).clamp(min=0).prod(-1)
        area_b = (b[:, 2:] - b[:, :2]).clamp(min=0).prod(-1)
        return inter / (area_a[:, None] + area_b - inter + 1e-6)


def get_inputs():
    def boxes(n):
        corner = torch.rand(n, 2)
        return torch.cat([corner, corner + torch.rand(n, 2)], 1)

    return [boxes(17), boxes(23)]


def get_init_inputs():
    return []
