import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def split_product(x_ptr, high_ptr, low_ptr, unit_ptr, size_ptr, out_ptr, M, K: tl.constexpr, N: tl.constexpr,
                  BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    rest = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        x = tl.load(x_ptr + m[:, None] * K + k[None, :], mask=m[:, None] < M, other=0.0)
        high = tl.load(high_ptr + n[None, :] * K + k[:, None], mask=n[None, :] < N, other=0.0).to(tl.float32)
        low = tl.load(low_ptr + n[None, :] * K + k[:, None], mask=n[None, :] < N, other=0.0).to(tl.float32)
        acc = tl.dot(x, high, acc, input_precision="ieee")
        rest = tl.dot(x, low, rest, input_precision="ieee")
    size = tl.load(size_ptr + n, mask=n < N, other=0.0)
    out = (acc + rest * (1.0 / 4096)) * tl.load(unit_ptr) * size[None, :]
    tl.store(out_ptr + m[:, None] * N + n[None, :], out, mask=(m[:, None] < M) & (n[None, :] < N))


class ModelNew(nn.Module):
    def __init__(self, width, out):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(out, width) / 8)
        self.size = nn.Parameter(torch.rand(out) + 0.5)
        self.kept = None

    def halves(self):
        """The weight as two fp16 matrices with one scale, a power of two."""
        weight = self.weight
        key = (weight.data_ptr(), weight._version)
        if self.kept is None or self.kept[0] != key:
            wide = weight.detach()
            unit = torch.exp2(torch.ceil(torch.log2(wide.abs().amax().clamp(min=1e-30))) - 15)
            scaled = wide / unit
            high = scaled.to(torch.float16)
            low = ((scaled - high.to(torch.float32)) * 4096).to(torch.float16)
            self.kept = (key, high, low, unit)
        return self.kept[1:]

    def forward(self, x):
        m, k = x.shape
        n = self.weight.shape[0]
        high, low, unit = self.halves()
        out = torch.empty((m, n), dtype=x.dtype, device=x.device)
        split_product[(triton.cdiv(m, 16),)](
            x, high, low, unit, self.size, out, m, k, n, 16, triton.next_power_of_2(n), 32
        )
        return out
