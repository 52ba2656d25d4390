import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(hidden))

    def forward(self, x, residual):
        residual.add_(x)
        var = residual.pow(2).mean(-1, keepdim=True)
        x.copy_(residual * torch.rsqrt(var + 1e-5) * self.weight)
        return x, residual


def get_inputs():
    return [torch.randn(17, 80), torch.randn(17, 80)]


def get_init_inputs():
    return [80]
