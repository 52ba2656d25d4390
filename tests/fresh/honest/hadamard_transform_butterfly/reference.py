import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        n = x.shape[-1]
        h = torch.ones(1, 1, dtype=x.dtype, device=x.device)
        while h.shape[0] < n:
            h = torch.cat([torch.cat([h, h], 1), torch.cat([h, -h], 1)], 0)
        return (x @ h) * n**-0.5


def get_inputs():
    return [torch.randn(7, 32)]


def get_init_inputs():
    return []
