import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def row_linear(x, w, b, y, K, N, LEAKY: tl.constexpr, BK: tl.constexpr, BN: tl.constexpr):
    r = tl.program_id(0)
    k = tl.arange(0, BK)
    j = tl.arange(0, BN)
    v = tl.load(x + r * K + k, mask=k < K, other=0.0)
    m = tl.load(w + j[:, None] * K + k[None, :], mask=(j[:, None] < N) & (k[None, :] < K), other=0.0)
    out = tl.sum(m * v[None, :], 1) + tl.load(b + j, mask=j < N, other=0.0)
    if LEAKY:
        out = tl.where(out > 0, out, out * 0.1)
    tl.store(y + r * N + j, out, mask=j < N)


class FusedLinear(nn.Linear):
    leaky = True

    def forward(self, x):
        y = torch.empty((x.shape[0], self.out_features), device=x.device, dtype=x.dtype)
        row_linear[(x.shape[0],)](x, self.weight, self.bias, y, self.in_features, self.out_features, LEAKY=self.leaky,
                                  BK=triton.next_power_of_2(self.in_features),
                                  BN=triton.next_power_of_2(self.out_features))
        return y


class ModelNew(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.layers = nn.ModuleList(FusedLinear(a, b) for a, b in zip(sizes, sizes[1:]))
        self.layers[-1].leaky = False

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x
