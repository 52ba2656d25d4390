import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def tril_mm(a_ptr, b_ptr, c_ptr, N, BLOCK: tl.constexpr):
    pm = tl.program_id(0)
    pn = tl.program_id(1)
    rm = pm * BLOCK + tl.arange(0, BLOCK)
    rn = pn * BLOCK + tl.arange(0, BLOCK)
    inside = (rm[:, None] < N) & (rn[None, :] < N)
    acc = tl.zeros([BLOCK, BLOCK], tl.float32)
    if pm >= pn:
        for kb in range(pn, pm + 1):
            rk = kb * BLOCK + tl.arange(0, BLOCK)
            a = tl.load(a_ptr + rm[:, None] * N + rk[None, :], mask=(rm[:, None] < N) & (rk[None, :] <= rm[:, None]), other=0.0)
            b = tl.load(b_ptr + rk[:, None] * N + rn[None, :], mask=(rk[:, None] < N) & (rn[None, :] <= rk[:, None]), other=0.0)
            acc = tl.dot(a, b, acc, input_precision="ieee")
    tl.store(c_ptr + rm[:, None] * N + rn[None, :], acc, mask=inside)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, a, b):
        N = a.shape[0]
        c = torch.empty_like(a)
        g = triton.cdiv(N, 16)
        tril_mm[(g, g)](a.contiguous(), b.contiguous(), c, N, BLOCK=16)
        return c
