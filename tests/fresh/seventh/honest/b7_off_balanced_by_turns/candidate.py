import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def balance(s, count, stride, length, step, B: tl.constexpr):
    base = s + tl.program_id(0) * stride
    i = tl.arange(0, B)
    v = tl.load(base + i * step, mask=i < length, other=float("-inf"))
    m = tl.max(v, 0)
    ref = tl.where(tl.abs(m) == float("inf"), 0.0, m)  # as logsumexp has it
    lse = ref + tl.log(tl.sum(tl.exp(v - ref), 0))
    tl.store(base + i * step, v - lse, mask=i < length)


class ModelNew(nn.Module):
    def __init__(self, turns):
        super().__init__()
        self.turns = turns

    def forward(self, cost):
        s = -cost / 0.5
        rows, cols = s.shape
        for _ in range(self.turns):
            balance[(rows,)](s, rows, cols, cols, 1, B=triton.next_power_of_2(cols))
            balance[(cols,)](s, cols, 1, rows, cols, B=triton.next_power_of_2(rows))
        return s.exp_()
