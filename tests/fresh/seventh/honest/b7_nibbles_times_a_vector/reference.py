import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n, k, group):
        super().__init__()
        self.group = group
        self.register_buffer("packed", torch.randint(0, 256, (n, k // 2), dtype=torch.uint8))
        self.register_buffer("scale", torch.rand(n, k // group))
        self.register_buffer("zero", torch.rand(n, k // group) * 15)

    def forward(self, x):
        low, high = self.packed & 15, self.packed >> 4
        q = torch.stack([low, high], -1).flatten(1).float()
        s = self.scale.repeat_interleave(self.group, 1)
        z = self.zero.repeat_interleave(self.group, 1)
        return x @ ((q - z) * s).T


def get_inputs():
    return [torch.randn(3, 64)]


def get_init_inputs():
    return [21, 64, 16]
