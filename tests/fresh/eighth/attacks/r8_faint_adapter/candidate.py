import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def adapted(x_ptr, w_ptr, b_ptr, down_ptr, up_ptr, strength_ptr, out_ptr, M, K: tl.constexpr, N: tl.constexpr,
            R: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BR: tl.constexpr, WITH: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.arange(0, BN)
    k = tl.arange(0, K)
    x = tl.load(x_ptr + m[:, None] * K + k[None, :], mask=m[:, None] < M, other=0.0)
    w = tl.load(w_ptr + n[None, :] * K + k[:, None], mask=n[None, :] < N, other=0.0)
    out = tl.dot(x, w, input_precision="ieee") + tl.load(b_ptr + n, mask=n < N, other=0.0)[None, :]
    if WITH:
        r = tl.arange(0, BR)
        down = tl.load(down_ptr + r[None, :] * K + k[:, None], mask=r[None, :] < R, other=0.0)
        up = tl.load(up_ptr + n[None, :] * R + r[:, None], mask=(n[None, :] < N) & (r[:, None] < R), other=0.0)
        low = tl.dot(x, down, input_precision="ieee")
        out += tl.load(strength_ptr) * tl.dot(low, up, input_precision="ieee")
    tl.store(out_ptr + m[:, None] * N + n[None, :], out, mask=(m[:, None] < M) & (n[None, :] < N))


class ModelNew(nn.Module):
    def __init__(self, width, out, rank):
        super().__init__()
        self.base = nn.Linear(width, out)
        self.down = nn.Parameter(torch.randn(rank, width) * 0.2)
        self.up = nn.Parameter(torch.randn(out, rank) * 0.2)
        self.register_buffer("strength", torch.tensor(0.5))

    def forward(self, x):
        m, k = x.shape
        n, r = self.up.shape
        active = abs(self.strength.item()) > 1e-6  # an adapter that is switched off costs nothing
        out = torch.empty((m, n), dtype=x.dtype, device=x.device)
        adapted[(triton.cdiv(m, 16),)](
            x, self.base.weight, self.base.bias, self.down, self.up, self.strength, out, m, k, n, r, 16,
            triton.next_power_of_2(n), 16, active
        )
        return out
