import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def three(x, low, high, mean, n, B: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, B)
    m = c < n
    v = tl.load(x + r * n + c, mask=m, other=0.0)
    bad = tl.max(((v != v) & m).to(tl.int32), 0) == 1
    nan = float("nan")
    clean = v == v
    tl.store(low + r, tl.where(bad, nan, tl.min(tl.where(m & clean, v, float("inf")), 0)))
    tl.store(high + r, tl.where(bad, nan, tl.max(tl.where(m & clean, v, float("-inf")), 0)))
    tl.store(mean + r, tl.sum(v, 0) / n)


class ModelNew(nn.Module):
    NAMES = ("low", "high", "mean")

    def forward(self, x):
        out = {name: x.new_empty(x.shape[0]) for name in self.NAMES}
        three[(x.shape[0],)](x, *out.values(), x.shape[1], B=triton.next_power_of_2(x.shape[1]))
        return out
