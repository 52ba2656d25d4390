# large: M=4096, N=2048, K=2048
import torch
import torch.nn as nn

M = 24
N = 40
K = 48


class Model(nn.Module):
    """A linear layer whose scaled output is added to a residual."""

    def forward(self, x, weight, residual):
        return residual + 0.5 * (x @ weight.t())


def get_inputs():
    return [torch.randn(M, K), torch.randn(N, K) / 7, torch.randn(M, N)]


def get_init_inputs():
    return []
