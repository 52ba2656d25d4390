import torch
import triton
import triton.language as tl


@triton.jit
def tables(c_ptr, s_ptr, n, BLOCK: tl.constexpr):
    k = tl.program_id(0)
    j = tl.arange(0, BLOCK)
    angle = (k * j % n).to(tl.float32) * (-6.283185307179586 / n)
    tl.store(c_ptr + k * n + j, tl.cos(angle), mask=j < n)
    tl.store(s_ptr + k * n + j, tl.sin(angle), mask=j < n)


@triton.jit
def dft(x_ptr, c_ptr, s_ptr, o_ptr, R, n, BR: tl.constexpr, BK: tl.constexpr, BJ: tl.constexpr):
    r = tl.program_id(0) * BR + tl.arange(0, BR)
    k = tl.program_id(1) * BK + tl.arange(0, BK)
    re = tl.zeros((BR, BK), tl.float32)
    im = tl.zeros((BR, BK), tl.float32)
    for j0 in range(0, n, BJ):
        j = j0 + tl.arange(0, BJ)
        x = tl.load(x_ptr + r[:, None] * n + j[None, :], mask=(r[:, None] < R) & (j[None, :] < n), other=0.0)
        ok = (j[:, None] < n) & (k[None, :] < n)
        c = tl.load(c_ptr + k[None, :] * n + j[:, None], mask=ok, other=0.0)
        s = tl.load(s_ptr + k[None, :] * n + j[:, None], mask=ok, other=0.0)
        re = tl.dot(x, c, re, input_precision="ieee")
        im = tl.dot(x, s, im, input_precision="ieee")
    ok = (r[:, None] < R) & (k[None, :] < n)
    at = 2 * (r[:, None] * n + k[None, :])
    tl.store(o_ptr + at, re, mask=ok)
    tl.store(o_ptr + at + 1, im, mask=ok)


def forward(x):
    R, n = x.shape
    c = torch.empty((n, n), device=x.device, dtype=torch.float32)
    s = torch.empty_like(c)
    out = torch.empty((R, n, 2), device=x.device, dtype=x.dtype)
    tables[(n,)](c, s, n, BLOCK=triton.next_power_of_2(n))
    dft[(triton.cdiv(R, 16), triton.cdiv(n, 16))](x, c, s, out, R, n, BR=16, BK=16, BJ=16)
    return out
