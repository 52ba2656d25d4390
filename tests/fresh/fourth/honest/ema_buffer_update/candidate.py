import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def track(x_ptr, avg_ptr, y_ptr, N, C, BN: tl.constexpr, BC: tl.constexpr):
    c = tl.program_id(0) * BC + tl.arange(0, BC)
    r = tl.arange(0, BN)
    ok = (r[:, None] < N) & (c[None, :] < C)
    x = tl.load(x_ptr + r[:, None] * C + c[None, :], mask=ok, other=0.0)
    old = tl.load(avg_ptr + c, mask=c < C, other=0.0)
    new = 0.75 * old + 0.25 * (tl.sum(x, 0) / N)
    tl.debug_barrier()
    tl.store(avg_ptr + c, new, mask=c < C)
    tl.store(y_ptr + r[:, None] * C + c[None, :], x - new[None, :], mask=ok)


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.register_buffer("average", torch.zeros(width))

    def forward(self, x):
        y = torch.empty_like(x)
        track[(triton.cdiv(x.shape[1], 8),)](x, self.average, y, x.shape[0], x.shape[1], BN=triton.next_power_of_2(x.shape[0]), BC=8)
        return y
