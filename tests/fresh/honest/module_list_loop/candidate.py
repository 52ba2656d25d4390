import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def gelu(x):
    return 0.5 * x * (1.0 + tl.erf(x * 0.7071067811865476))


@triton.jit
def layer_kernel(x_ptr, w_ptr, b_ptr, y_ptr, K, N, ACT: tl.constexpr, BK: tl.constexpr, BN: tl.constexpr):
    m = tl.program_id(0)
    n = tl.arange(0, BN)
    k = tl.arange(0, BK)
    x = tl.load(x_ptr + m * K + k, mask=k < K, other=0.0)
    w = tl.load(w_ptr + n[:, None] * K + k[None, :], mask=(n[:, None] < N) & (k[None, :] < K), other=0.0)
    y = tl.sum(w * x[None, :], axis=1) + tl.load(b_ptr + n, mask=n < N, other=0.0)
    if ACT == "gelu":
        y = gelu(y)
    tl.store(y_ptr + m * N + n, y, mask=n < N)


class ModelNew(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(a, b) for a, b in zip(sizes[:-1], sizes[1:])])

    def forward(self, x):
        x = x.contiguous()
        for i, layer in enumerate(self.layers):
            N, K = layer.weight.shape
            y = torch.empty((x.shape[0], N), device=x.device, dtype=x.dtype)
            act = "gelu" if i + 1 < len(self.layers) else "none"
            layer_kernel[(x.shape[0],)](x, layer.weight, layer.bias, y, K, N, ACT=act, BK=triton.next_power_of_2(K), BN=triton.next_power_of_2(N))
            x = y
        return x
