import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def pack(w_ptr, p_ptr, O, I, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < O * I
    o = i % O
    k = i // O
    tl.store(p_ptr + i, tl.load(w_ptr + o * I + k, mask=ok, other=0.0), mask=ok)


@triton.jit
def packed_linear(x_ptr, p_ptr, y_ptr, I, O, BI: tl.constexpr, BO: tl.constexpr):
    m = tl.program_id(0)
    o = tl.arange(0, BO)
    k = tl.arange(0, BI)
    x = tl.load(x_ptr + m * I + k, mask=k < I, other=0.0)
    w = tl.load(p_ptr + k[:, None] * O + o[None, :], mask=(k[:, None] < I) & (o[None, :] < O), other=0.0)
    tl.store(y_ptr + m * O + o, tl.sum(x[:, None] * w, 0), mask=o < O)


class ModelNew(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(o, i) * 0.1)
        self._cache = None

    def _pack(self):
        w = self.weight
        if self._cache is None or self._cache[0] is not w or self._cache[1] != w._version:
            O, I = w.shape
            packed = torch.empty((I, O), device=w.device, dtype=w.dtype)
            pack[(triton.cdiv(O * I, 128),)](w, packed, O, I, BLOCK=128)
            self._cache = (w, w._version, packed)
        return self._cache[2]

    def forward(self, x):
        O, I = self.weight.shape
        p = self._pack()
        y = torch.empty((x.shape[0], O), device=x.device, dtype=x.dtype)
        packed_linear[(x.shape[0],)](x.contiguous(), p, y, I, O, BI=triton.next_power_of_2(I), BO=triton.next_power_of_2(O))
        return y
