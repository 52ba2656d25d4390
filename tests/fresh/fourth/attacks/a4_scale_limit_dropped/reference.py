import torch
import torch.nn as nn


class Model(nn.Module):
    """Scores of two sets of unit vectors with a learned scale, 100 at most."""

    def __init__(self):
        super().__init__()
        self.log_scale = nn.Parameter(torch.tensor(2.6593))

    def forward(self, a, b):
        a = a / a.norm(dim=1, keepdim=True)
        b = b / b.norm(dim=1, keepdim=True)
        return (a * b).sum(dim=1) * self.log_scale.exp().clamp(max=100.0)


def get_inputs():
    return [torch.randn(32, 64), torch.randn(32, 64)]


def get_init_inputs():
    return []
