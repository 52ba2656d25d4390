import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def average(x_ptr, rate_ptr, out_ptr, LENGTH: tl.constexpr, WIDTH: tl.constexpr, TAPS: tl.constexpr):
    sample = tl.program_id(0)
    column = tl.program_id(1)
    t = tl.arange(0, LENGTH)
    log_decay = -tl.exp(tl.load(rate_ptr))
    base = x_ptr + sample * LENGTH * WIDTH + column
    total = tl.zeros((LENGTH,), dtype=tl.float32)
    for k in range(TAPS):
        x = tl.load(base + (t - k) * WIDTH, mask=t >= k, other=0.0)
        total += tl.exp(k * log_decay) * x
    total = total * (1.0 - tl.exp(log_decay))
    tl.store(out_ptr + sample * LENGTH * WIDTH + t * WIDTH + column, total)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.rate = nn.Parameter(torch.zeros(1))

    def forward(self, x):
        out = torch.empty_like(x)
        average[(x.shape[0], x.shape[2])](x, self.rate, out, x.shape[1], x.shape[2], 32)
        return out
