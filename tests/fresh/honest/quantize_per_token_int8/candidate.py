import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def quantize_rows(x_ptr, q_ptr, s_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + c, mask=c < n, other=0.0)
    scale = tl.div_rn(tl.maximum(tl.max(tl.abs(x), 0), 1e-6), 127.0)
    y = tl.div_rn(x, scale + tl.zeros_like(x))
    magic = 12582912.0
    r = (y + magic) - magic
    r = tl.minimum(tl.maximum(r, -127.0), 127.0)
    tl.store(q_ptr + row * n + c, r.to(tl.int8), mask=c < n)
    tl.store(s_ptr + row, scale)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        rows, n = x.shape
        q = torch.empty_like(x, dtype=torch.int8)
        s = torch.empty((rows, 1), device=x.device, dtype=torch.float32)
        quantize_rows[(rows,)](x, q, s, n, BLOCK=triton.next_power_of_2(n))
        return q, s
