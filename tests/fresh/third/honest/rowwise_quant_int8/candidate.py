import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def quantise(x_ptr, q_ptr, s_ptr, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * N + cols, mask=mask, other=0.0)
    scale = tl.div_rn(tl.maximum(tl.max(tl.abs(x), 0), 1e-8), 127.0)
    r = tl.div_rn(x, scale)
    magic = 12582912.0
    rounded = (r + magic) - magic
    q = tl.minimum(tl.maximum(rounded, -127.0), 127.0)
    tl.store(q_ptr + row * N + cols, q.to(tl.int8), mask=mask)
    tl.store(s_ptr + row, scale)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        rows, n = x.shape
        q = torch.empty((rows, n), device=x.device, dtype=torch.int8)
        scale = torch.empty((rows, 1), device=x.device, dtype=x.dtype)
        quantise[(rows,)](x, q, scale, n, BLOCK=triton.next_power_of_2(n))
        return q, scale
