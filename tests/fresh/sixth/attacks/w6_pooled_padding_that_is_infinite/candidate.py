import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def pool(x_ptr, mask_ptr, out_ptr, T: tl.constexpr, D: tl.constexpr, BLOCK: tl.constexpr):
    b = tl.program_id(0)
    t = tl.arange(0, BLOCK)
    d = tl.arange(0, D)
    on = tl.load(mask_ptr + b * T + t, mask=t < T, other=0).to(tl.float32)
    x = tl.load(x_ptr + (b * T + t[:, None]) * D + d[None, :], mask=t[:, None] < T, other=0.0)
    total = tl.sum(x * on[:, None], axis=0)
    tl.store(out_ptr + b * D + d, total / tl.maximum(tl.sum(on, axis=0), 1.0))


class ModelNew(nn.Module):
    def forward(self, x, mask):
        b, t, d = x.shape
        out = torch.empty((b, d), dtype=x.dtype, device=x.device)
        pool[(b,)](x, mask, out, t, d, triton.next_power_of_2(t))
        return out
