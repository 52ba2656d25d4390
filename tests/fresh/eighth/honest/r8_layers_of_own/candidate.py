import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def linear(x_ptr, w_ptr, b_ptr, y_ptr, M, N, K, BIAS: tl.constexpr, SQUARE: tl.constexpr, BM: tl.constexpr,
           BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for k0 in range(0, K, BK):
        rk = k0 + tl.arange(0, BK)
        x = tl.load(x_ptr + rm[:, None] * K + rk[None, :], mask=(rm[:, None] < M) & (rk[None, :] < K), other=0.0)
        w = tl.load(w_ptr + rn[None, :] * K + rk[:, None], mask=(rn[None, :] < N) & (rk[:, None] < K), other=0.0)
        acc = tl.dot(x, w, acc, input_precision="ieee")
    if BIAS:
        acc += tl.load(b_ptr + rn, mask=rn < N, other=0.0)[None, :]
    if SQUARE:
        acc = tl.maximum(acc, 0.0)
        acc = acc * acc
    tl.store(y_ptr + rm[:, None] * N + rn[None, :], acc, mask=(rm[:, None] < M) & (rn[None, :] < N))


class TiledLinear(nn.Linear):
    """torch's layer with a kernel of its own, and a squared rectifier if it is asked for."""

    def __init__(self, width, out, bias=True, square=False):
        super().__init__(width, out, bias=bias)
        self.square_after = square

    def forward(self, x):
        m, k, n = x.numel() // x.shape[-1], self.in_features, self.out_features
        y = torch.empty((*x.shape[:-1], n), dtype=x.dtype, device=x.device)
        bias = self.weight if self.bias is None else self.bias
        grid = (triton.cdiv(m, 16), triton.cdiv(n, 32))
        linear[grid](x, self.weight, bias, y, m, n, k, self.bias is not None, self.square_after, 16, 32, 16)
        return y


class ModelNew(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.up = TiledLinear(width, hidden, square=True)
        self.down = TiledLinear(hidden, width, bias=False)

    def forward(self, x):
        return self.down(self.up(x))
