import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def tanh(x):
    small = tl.exp(-2.0 * tl.abs(x))
    out = (1.0 - small) / (1.0 + small)
    near = x * (1.0 - x * x * (1.0 / 3.0 - x * x * (2.0 / 15.0)))
    return tl.where(tl.abs(x) < 0.02, near, tl.where(x < 0.0, -out, out))


@triton.jit
def linear_tanh(x_ptr, wt_ptr, b_ptr, out_ptr, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros([BM, BN], dtype=tl.float32)
    for start in range(0, k, BK):
        rk = start + tl.arange(0, BK)
        x = tl.load(x_ptr + rm[:, None] * k + rk[None, :], mask=(rm[:, None] < m) & (rk[None, :] < k), other=0.0)
        w = tl.load(wt_ptr + rk[:, None] * n + rn[None, :], mask=(rk[:, None] < k) & (rn[None, :] < n), other=0.0)
        acc += tl.dot(x, w, input_precision="ieee")
    acc += tl.load(b_ptr + rn, mask=rn < n, other=0.0)[None, :]
    tl.store(out_ptr + rm[:, None] * n + rn[None, :], tanh(acc), mask=(rm[:, None] < m) & (rn[None, :] < n))


class ModelNew(nn.Module):
    def __init__(self, inner, outer):
        super().__init__()
        self.fc = nn.Linear(inner, outer)
        self.kept_for = None
        self.kept = None

    def transposed(self):
        weight = self.fc.weight
        now = (weight._version, weight.data_ptr())
        if self.kept_for != now:
            self.kept = weight.detach().t().contiguous()
            self.kept_for = now
        return self.kept

    def forward(self, x):
        x = x.contiguous()
        m, k = x.shape
        n = self.fc.out_features
        out = torch.empty(m, n, device=x.device, dtype=x.dtype)
        linear_tanh[(triton.cdiv(m, 16), triton.cdiv(n, 16))](x, self.transposed(), self.fc.bias, out, m, n, k, BM=16, BN=16, BK=16)
        return out
