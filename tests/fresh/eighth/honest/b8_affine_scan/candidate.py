import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def compose(a0, b0, a1, b1):
    return a0 * a1, b0 * a1 + b1


@triton.jit
def scan(x_ptr, rate_ptr, first_ptr, out_ptr, last_ptr, time, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    t = tl.arange(0, BLOCK)
    state = tl.load(first_ptr + row)
    for start in range(0, time, BLOCK):
        ok = start + t < time
        x = tl.load(x_ptr + row * time + start + t, mask=ok, other=0.0)
        rate = tl.load(rate_ptr + row * time + start + t, mask=ok, other=0.0)
        soft = tl.maximum(rate, 0.0) + tl.log(1.0 + tl.exp(-tl.abs(rate)))
        a = tl.where(ok, tl.exp(-soft), 1.0)
        x = tl.where(ok, x, 0.0)
        prod, part = tl.associative_scan((a, x), 0, compose)
        h = part + prod * state
        tl.store(out_ptr + row * time + start + t, h, mask=ok)
        state = tl.sum(tl.where(t == BLOCK - 1, h, 0.0), axis=0)
    tl.store(last_ptr + row, state)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x, rate, first):
        time = x.shape[2]
        out = torch.empty_like(x)
        last = torch.empty_like(first)
        scan[(first.numel(),)](x, rate, first, out, last, time, BLOCK=32)
        return out, last
