import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def tanh(x):
    small = tl.exp(-2.0 * tl.abs(x))
    near = x * (1.0 - x * x * (1.0 / 3.0 - x * x * (2.0 / 15.0)))
    out = (1.0 - small) / (1.0 + small)
    return tl.where(tl.abs(x) < 0.02, near, tl.where(x < 0.0, -out, out))


@triton.jit
def centred(x_ptr, out_ptr, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, BLOCK)
    inside = col < width
    x = tl.load(x_ptr + row * width + col, mask=inside, other=float("inf"))
    low = tl.min(x, axis=0)
    high = tl.max(tl.where(inside, x, -float("inf")), axis=0)
    need = (width + 1) // 2
    for _ in range(40):
        middle = low * 0.5 + high * 0.5
        enough = tl.sum((x <= middle).to(tl.int32), axis=0) >= need
        high = tl.where(enough, middle, high)
        low = tl.where(enough, low, middle)
    median = tl.max(tl.where(x <= high, x, -float("inf")), axis=0)
    median += tl.sum(tl.where(x != x, x, 0.0), axis=0)
    tl.store(out_ptr + row * width + col, tanh(x - median), mask=inside)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        out = torch.empty_like(x)
        centred[(x.shape[0],)](x, out, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
        return out
