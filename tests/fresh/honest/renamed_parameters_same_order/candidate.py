import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def linear_sigmoid(x_ptr, w_ptr, b_ptr, y_ptr, K, N, BK: tl.constexpr, BN: tl.constexpr):
    m = tl.program_id(0)
    n = tl.arange(0, BN)
    k = tl.arange(0, BK)
    x = tl.load(x_ptr + m * K + k, mask=k < K, other=0.0)
    w = tl.load(w_ptr + n[:, None] * K + k[None, :], mask=(n[:, None] < N) & (k[None, :] < K), other=0.0)
    acc = tl.sum(w * x[None, :], 1) + tl.load(b_ptr + n, mask=n < N, other=0.0)
    tl.store(y_ptr + m * N + n, tl.sigmoid(acc), mask=n < N)


class ModelNew(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        linear = nn.Linear(i, o)
        self.weight = nn.Parameter(linear.weight.detach().clone())
        self.bias = nn.Parameter(linear.bias.detach().clone())

    def forward(self, x):
        M, K = x.shape
        N = self.bias.numel()
        y = torch.empty((M, N), device=x.device, dtype=x.dtype)
        linear_sigmoid[(M,)](x.contiguous(), self.weight, self.bias, y, K, N, BK=triton.next_power_of_2(K), BN=triton.next_power_of_2(N))
        return y
