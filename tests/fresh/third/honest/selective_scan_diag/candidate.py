import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def softplus(x):
    small = tl.exp(-tl.abs(x))
    u = 1.0 + small
    exact = tl.where(u == 1.0, small, tl.log(u) * (small / tl.where(u == 1.0, 1.0, u - 1.0)))
    return tl.maximum(x, 0.0) + exact


@triton.jit
def ssm(x_ptr, dt_ptr, b_ptr, c_ptr, la_ptr, d_ptr, y_ptr, T, C, BLOCK: tl.constexpr, S: tl.constexpr):
    batch = tl.program_id(0)
    ch = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    st = tl.arange(0, S)
    mask = ch < C
    a = -tl.exp(tl.load(la_ptr + ch[:, None] * S + st[None, :], mask=mask[:, None], other=0.0))
    skip = tl.load(d_ptr + ch, mask=mask, other=0.0)
    h = tl.zeros((BLOCK, S), dtype=tl.float32)
    for t in range(T):
        at = (batch * T + t) * C + ch
        x = tl.load(x_ptr + at, mask=mask, other=0.0)
        dt = softplus(tl.load(dt_ptr + at, mask=mask, other=0.0))
        b = tl.load(b_ptr + (batch * T + t) * S + st)
        c = tl.load(c_ptr + (batch * T + t) * S + st)
        h = tl.exp(dt[:, None] * a) * h + dt[:, None] * b[None, :] * x[:, None]
        tl.store(y_ptr + at, tl.sum(h * c[None, :], axis=1) + x * skip, mask=mask)


class ModelNew(nn.Module):
    def __init__(self, channels, states):
        super().__init__()
        self.log_a = nn.Parameter(torch.log(torch.arange(1, states + 1).float()).repeat(channels, 1))
        self.skip = nn.Parameter(torch.ones(channels))

    def forward(self, x, dt, b, c):
        x, dt, b, c = x.contiguous(), dt.contiguous(), b.contiguous(), c.contiguous()
        n, t, ch = x.shape
        y = torch.empty_like(x)
        ssm[(n, triton.cdiv(ch, 16))](
            x, dt, b, c, self.log_a, self.skip, y, t, ch, BLOCK=16, S=self.log_a.shape[1]
        )
        return y
