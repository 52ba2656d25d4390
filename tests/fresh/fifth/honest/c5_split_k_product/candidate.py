import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def parts(x_ptr, w_ptr, part_ptr, m, n, k, each, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    split = tl.program_id(2)
    last = tl.minimum((split + 1) * each, k)
    acc = tl.zeros([BM, BN], dtype=tl.float32)
    for start in range(split * each, last, BK):
        rk = start + tl.arange(0, BK)
        x = tl.load(x_ptr + rm[:, None] * k + rk[None, :], mask=(rm[:, None] < m) & (rk[None, :] < last), other=0.0)
        w = tl.load(w_ptr + rn[None, :] * k + rk[:, None], mask=(rn[None, :] < n) & (rk[:, None] < last), other=0.0)
        acc += tl.dot(x, w, input_precision="ieee")
    tl.store(part_ptr + (split * m + rm[:, None]) * n + rn[None, :], acc, mask=(rm[:, None] < m) & (rn[None, :] < n))


@triton.jit
def add_up(part_ptr, b_ptr, out_ptr, m, n, SPLITS: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < m * n
    acc = tl.load(b_ptr + at % n, mask=inside, other=0.0)
    for split in tl.static_range(SPLITS):
        acc += tl.load(part_ptr + split * m * n + at, mask=inside, other=0.0)
    tl.store(out_ptr + at, acc, mask=inside)


class ModelNew(nn.Module):
    def __init__(self, inner, outer):
        super().__init__()
        self.fc = nn.Linear(inner, outer)

    def forward(self, x):
        m, k = x.shape
        n = self.fc.weight.shape[0]
        splits = 4
        each = triton.cdiv(triton.cdiv(k, splits), 16) * 16
        part = torch.empty(splits, m, n, device=x.device, dtype=torch.float32)
        out = torch.empty(m, n, device=x.device, dtype=x.dtype)
        parts[(triton.cdiv(m, 16), triton.cdiv(n, 16), splits)](x, self.fc.weight, part, m, n, k, each, BM=16, BN=16, BK=16)
        add_up[(triton.cdiv(m * n, 128),)](part, self.fc.bias, out, m, n, SPLITS=splits, BLOCK=128)
        return out
