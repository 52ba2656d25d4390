import math

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def dft(x_ptr, re_ptr, im_ptr, ROWS, N, HALF, step, BR: tl.constexpr, BF: tl.constexpr, BT: tl.constexpr):
    r = tl.program_id(0) * BR + tl.arange(0, BR)
    f = tl.program_id(1) * BF + tl.arange(0, BF)
    re = tl.zeros((BR, BF), dtype=tl.float32)
    im = tl.zeros((BR, BF), dtype=tl.float32)
    for start in range(0, N, BT):
        t = start + tl.arange(0, BT)
        x = tl.load(x_ptr + r[:, None] * N + t[None, :], mask=(r[:, None] < ROWS) & (t[None, :] < N), other=0.0)
        angle = ((t[:, None] * f[None, :]) % N).to(tl.float32) * step
        re = tl.dot(x, tl.cos(angle), re, input_precision="ieee")
        im = tl.dot(x, tl.sin(angle), im, input_precision="ieee")
    place = r[:, None] * HALF + f[None, :]
    mask = (r[:, None] < ROWS) & (f[None, :] < HALF)
    tl.store(re_ptr + place, re, mask=mask)
    tl.store(im_ptr + place, im, mask=mask)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        rows, n = x.shape
        half = n // 2 + 1
        re = torch.empty((rows, half), device=x.device, dtype=x.dtype)
        im = torch.empty((rows, half), device=x.device, dtype=x.dtype)
        dft[(triton.cdiv(rows, 16), triton.cdiv(half, 16))](
            x, re, im, rows, n, half, -2 * math.pi / n, BR=16, BF=16, BT=16
        )
        return re, im
