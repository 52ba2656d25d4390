import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def scan(x_ptr, dt_ptr, b_ptr, c_ptr, a_ptr, d_ptr, out_ptr, steps, channels, N: tl.constexpr, CHANNELS: tl.constexpr):
    sample = tl.program_id(0)
    ch = tl.program_id(1) * CHANNELS + tl.arange(0, CHANNELS)
    n = tl.arange(0, N)
    there = ch < channels
    a = -tl.exp(tl.load(a_ptr + ch[:, None] * N + n[None, :], mask=there[:, None], other=0.0))
    skip = tl.load(d_ptr + ch, mask=there, other=0.0)
    h = tl.zeros([CHANNELS, N], dtype=tl.float32)
    for t in range(steps):
        at = (sample * steps + t) * channels + ch
        x = tl.load(x_ptr + at, mask=there, other=0.0)
        dt = tl.load(dt_ptr + at, mask=there, other=0.0)
        dt = tl.where(dt > 20.0, dt, tl.log(1.0 + tl.exp(tl.where(dt > 20.0, 0.0, dt))))
        b = tl.load(b_ptr + (sample * steps + t) * N + n)
        c = tl.load(c_ptr + (sample * steps + t) * N + n)
        h = tl.exp(dt[:, None] * a) * h + dt[:, None] * b[None, :] * x[:, None]
        tl.store(out_ptr + at, tl.sum(h * c[None, :], axis=1) + x * skip, mask=there)


class ModelNew(nn.Module):
    def __init__(self, channels, states):
        super().__init__()
        self.A_log = nn.Parameter(torch.log(torch.arange(1, states + 1).float()).repeat(channels, 1))
        self.D = nn.Parameter(torch.ones(channels))

    def forward(self, x, dt, B, C):
        out = torch.empty_like(x)
        b, steps, channels = x.shape
        scan[(b, triton.cdiv(channels, 8))](x, dt, B, C, self.A_log, self.D, out, steps, channels, N=B.shape[-1], CHANNELS=8)
        return out
