import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def bound(at, rows):
    at = tl.where(at < 0, at + rows, at)
    return tl.minimum(tl.maximum(at, 0), rows)


@triton.jit
def segment_mean(x_ptr, p_ptr, y_ptr, ROWS, N, BR: tl.constexpr, BN: tl.constexpr):
    s = tl.program_id(0)
    low = tl.load(p_ptr + s)
    high = tl.load(p_ptr + s + 1)
    first = bound(low, ROWS)
    last = bound(high, ROWS)
    c = tl.arange(0, BN)
    acc = tl.zeros((BR, BN), dtype=tl.float32)
    for start in range(first, last, BR):
        r = start + tl.arange(0, BR)
        acc += tl.load(x_ptr + r[:, None] * N + c[None, :], mask=(r[:, None] < last) & (c[None, :] < N), other=0.0)
    count = tl.maximum(high - low, 1).to(tl.float32)
    tl.store(y_ptr + s * N + c, tl.sum(acc, 0) / count, mask=c < N)


class ModelNew(nn.Module):
    def forward(self, x, pointers):
        x = x.contiguous()
        segments = pointers.shape[0] - 1
        n = x.shape[1]
        y = torch.empty((segments, n), device=x.device, dtype=x.dtype)
        segment_mean[(segments,)](x, pointers, y, x.shape[0], n, BR=4, BN=triton.next_power_of_2(n))
        return y
