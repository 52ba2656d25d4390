import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def after(a0, x0, a1, x1):
    return a0 * a1, a1 * x0 + x1


@triton.jit
def scan(x_ptr, g_ptr, s_ptr, y_ptr, T: tl.constexpr, C: tl.constexpr, BT: tl.constexpr, BC: tl.constexpr):
    sample = tl.program_id(0)
    c = tl.program_id(1) * BC + tl.arange(0, BC)
    shift = tl.load(s_ptr + c, mask=c < C, other=0.0)
    state = tl.zeros((BC,), dtype=tl.float32)
    step = tl.arange(0, BT)
    for start in range(0, T, BT):
        t = start + step
        ok = (t[:, None] < T) & (c[None, :] < C)
        place = (sample * T + t[:, None]) * C + c[None, :]
        x = tl.load(x_ptr + place, mask=ok, other=0.0)
        a = tl.sigmoid(tl.load(g_ptr + place, mask=ok, other=0.0) + shift[None, :])
        keep, new = tl.associative_scan((a, (1.0 - a) * x), axis=0, combine_fn=after)
        y = keep * state[None, :] + new
        tl.store(y_ptr + place, y, mask=ok)
        state = tl.sum(tl.where(step[:, None] == BT - 1, y, 0.0), axis=0)


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.shift = nn.Parameter(torch.zeros(channels))

    def forward(self, x, gate):
        batch, time, channels = x.shape
        y = torch.empty_like(x)
        scan[(batch, triton.cdiv(channels, 8))](x, gate, self.shift, y, time, channels, 16, 8)
        return y
