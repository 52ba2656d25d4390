import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def powmod(x_ptr, o_ptr, n, exponent, modulus, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < n
    x = tl.load(x_ptr + i, mask=ok, other=0)
    m = modulus.to(tl.int64)
    base = x % m
    base = tl.where(base < 0, base + m, base)
    result = tl.full([BLOCK], 1, tl.int64)
    e = exponent
    while e > 0:
        if e % 2 == 1:
            result = result * base % m
        base = base * base % m
        e = e // 2
    tl.store(o_ptr + i, result, mask=ok)


class ModelNew(nn.Module):
    def __init__(self, exponent, modulus):
        super().__init__()
        self.exponent = exponent
        self.modulus = modulus

    def forward(self, x):
        o = torch.empty_like(x)
        powmod[(triton.cdiv(x.numel(), 64),)](x, o, x.numel(), self.exponent, self.modulus, BLOCK=64)
        return o
