import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def bell(x, lengths, y, T, C, BC: tl.constexpr):
    t = tl.program_id(0)
    b = tl.program_id(1)
    c = tl.arange(0, BC)
    if t < tl.load(lengths + b):
        at = (b * T + t) * C + c
        v = tl.load(x + at, mask=c < C, other=0.0)
        tl.store(y + at, tl.exp(-v * v), mask=c < C)


class ModelNew(nn.Module):
    def forward(self, x, lengths):
        n, T, C = x.shape
        y = torch.zeros_like(x)
        longest = min(int(lengths.max()), T)
        if longest > 0:
            bell[(longest, n)](x, lengths, y, T, C, BC=triton.next_power_of_2(C))
        return y
