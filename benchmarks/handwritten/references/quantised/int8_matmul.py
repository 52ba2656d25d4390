# large: M=2048, N=4096, K=4096
import torch
import torch.nn as nn

M = 24
N = 40
K = 64


class Model(nn.Module):
    """A product of two matrices of eight bits, scaled by row and column."""

    def forward(self, a, b, row_scale, column_scale):
        total = a.float() @ b.float().t()
        return total * row_scale[:, None] * column_scale[None, :]


def get_inputs():
    a = torch.randint(-127, 128, (M, K), dtype=torch.int8)
    b = torch.randint(-127, 128, (N, K), dtype=torch.int8)
    return [a, b, torch.rand(M) + 0.1, torch.rand(N) + 0.1]


def get_init_inputs():
    return []
