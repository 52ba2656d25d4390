# large: M=1024, N=4096, K=4096
import torch
import torch.nn as nn

M = 24
N = 40
K = 64


class Model(nn.Module):
    """A linear layer whose weight is held in eight bits, with a scale for each output."""

    def forward(self, x, weight, scale):
        return x @ (weight.float() * scale[:, None]).t()


def get_inputs():
    weight = torch.randint(-127, 128, (N, K), dtype=torch.int8)
    return [torch.randn(M, K), weight, torch.rand(N) * 0.02 + 0.01]


def get_init_inputs():
    return []
