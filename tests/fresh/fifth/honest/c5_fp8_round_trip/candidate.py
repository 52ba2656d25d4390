import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def round_trip(x_ptr, out_ptr, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * width + col, mask=col < width, other=0.0)
    broken = tl.max((x != x).to(tl.int32), axis=0) > 0
    scale = tl.div_rn(tl.maximum(tl.max(tl.abs(x), axis=0), 1e-10), 448.0)
    q = tl.div_rn(x, tl.zeros_like(x) + scale)
    q = tl.minimum(tl.maximum(q, -448.0), 448.0).to(tl.float8e4nv)
    out = tl.where(broken, float("nan"), q.to(tl.float32) * scale)
    tl.store(out_ptr + row * width + col, out, mask=col < width)


class ModelNew(nn.Module):
    def forward(self, x):
        out = torch.empty_like(x)
        round_trip[(x.shape[0],)](x, out, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
        return out
