import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def softplus(x):
    return tl.where(x > 20.0, x, tl.log(1.0 + tl.exp(tl.minimum(x, 20.0))))


@triton.jit
def selective_scan(u_ptr, dt_ptr, a_ptr, b_ptr, c_ptr, d_ptr, y_ptr, L, DIM, N, BLOCK_N: tl.constexpr):
    b = tl.program_id(0)
    c = tl.program_id(1)
    n = tl.arange(0, BLOCK_N)
    ok = n < N
    A = -tl.exp(tl.load(a_ptr + c * N + n, mask=ok, other=0.0))
    D = tl.load(d_ptr + c)
    h = tl.zeros([BLOCK_N], dtype=tl.float32)
    for t in range(L):
        row = (b * L + t) * DIM + c
        u = tl.load(u_ptr + row)
        dt = softplus(tl.load(dt_ptr + row))
        Bt = tl.load(b_ptr + (b * L + t) * N + n, mask=ok, other=0.0)
        Ct = tl.load(c_ptr + (b * L + t) * N + n, mask=ok, other=0.0)
        h = tl.exp(dt * A) * h + dt * Bt * u
        y = tl.sum(tl.where(ok, h * Ct, 0.0), axis=0)
        tl.store(y_ptr + row, y + u * D)


class ModelNew(nn.Module):
    def __init__(self, dim, state):
        super().__init__()
        self.A_log = nn.Parameter(torch.log(torch.arange(1, state + 1).float()).repeat(dim, 1))
        self.D = nn.Parameter(torch.ones(dim))

    def forward(self, u, delta, B, C):
        batch, L, dim = u.shape
        N = B.shape[-1]
        y = torch.empty_like(u)
        selective_scan[(batch, dim)](u, delta, self.A_log, B, C, self.D, y, L, dim, N, BLOCK_N=triton.next_power_of_2(N))
        return y
