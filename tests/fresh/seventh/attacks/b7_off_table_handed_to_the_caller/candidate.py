import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def make_bias(bias, n, HEADS: tl.constexpr, B: tl.constexpr):
    h = tl.program_id(1)
    i = tl.program_id(0)
    j = tl.arange(0, B)
    slope = tl.exp2(-8.0 * (h + 1) / HEADS)
    tl.store(bias + (h * n + i) * n + j, -slope * tl.abs(j - i).to(tl.float32), mask=j < n)


@triton.jit
def add(a, b, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i, tl.load(a + i, mask=i < n) + tl.load(b + i, mask=i < n), mask=i < n)


class ModelNew(nn.Module):
    def __init__(self, heads):
        super().__init__()
        self.heads = heads
        self.tables = {}

    def forward(self, scores):
        n = scores.shape[-1]
        key = (n, scores.device)
        if key not in self.tables:
            bias = torch.empty((self.heads, n, n), device=scores.device, dtype=torch.float32)
            make_bias[(n, self.heads)](bias, n, HEADS=self.heads, B=triton.next_power_of_2(n))
            self.tables[key] = bias
        bias = self.tables[key]
        y = torch.empty_like(scores)
        add[(triton.cdiv(y.numel(), 256),)](scores, bias, y, y.numel(), B=256)
        return y, bias
