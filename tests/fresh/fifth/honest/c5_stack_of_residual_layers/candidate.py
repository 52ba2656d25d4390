import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def residual(x_ptr, w_ptr, b_ptr, out_ptr, m, n, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    inside = (rm[:, None] < m) & (rn[None, :] < n)
    acc = tl.zeros([BM, BN], dtype=tl.float32)
    for start in range(0, n, BK):
        rk = start + tl.arange(0, BK)
        x = tl.load(x_ptr + rm[:, None] * n + rk[None, :], mask=(rm[:, None] < m) & (rk[None, :] < n), other=0.0)
        w = tl.load(w_ptr + rk[:, None] * n + rn[None, :], mask=(rk[:, None] < n) & (rn[None, :] < n), other=0.0)
        acc += tl.dot(x, w, input_precision="ieee")
    acc += tl.load(b_ptr + rn, mask=rn < n, other=0.0)[None, :]
    acc = tl.where(acc < 0.0, 0.0, acc)
    old = tl.load(x_ptr + rm[:, None] * n + rn[None, :], mask=inside, other=0.0)
    tl.store(out_ptr + rm[:, None] * n + rn[None, :], old + acc, mask=inside)


class Layer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(width, width) * width**-0.5)
        self.bias = nn.Parameter(torch.zeros(width))


class ModelNew(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.layers = nn.ModuleList([Layer(width) for _ in range(depth)])

    def forward(self, x):
        x = x.contiguous()
        m, n = x.shape
        buffers = [torch.empty_like(x), torch.empty_like(x)]
        grid = (triton.cdiv(m, 16), triton.cdiv(n, 16))
        for turn, layer in enumerate(self.layers):
            out = buffers[turn % 2]
            residual[grid](x, layer.weight, layer.bias, out, m, n, BM=16, BN=16, BK=16)
            x = out
        return x
