import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def half_even(v):
    low = tl.floor(v)
    rest = v - low
    odd = low - 2.0 * tl.floor(low * 0.5) == 1.0
    return tl.where((rest > 0.5) | ((rest == 0.5) & odd), low + 1.0, low)


@triton.jit
def to_bytes(x, code, step, n, B: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, B)
    v = tl.load(x + r * n + c, mask=c < n, other=0.0)
    v = tl.where(v != v, 0.0, v)
    v = tl.where(v == float("inf"), 100.0, tl.where(v == float("-inf"), -100.0, v))
    s = tl.div_rn(tl.maximum(tl.max(tl.abs(v), 0), 1e-6), 127.0)
    tl.store(code + r * n + c, half_even(tl.div_rn(v, s)).to(tl.int8), mask=c < n)
    tl.store(step + r, s)


class ModelNew(nn.Module):
    def forward(self, x):
        rows, n = x.shape
        code = torch.empty((rows, n), device=x.device, dtype=torch.int8)
        step = torch.empty((rows,), device=x.device, dtype=torch.float32)
        to_bytes[(rows,)](x, code, step, n, B=triton.next_power_of_2(n))
        return code, step
