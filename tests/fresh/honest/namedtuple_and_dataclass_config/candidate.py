from dataclasses import dataclass

import torch
import torch.nn as nn
import triton
import triton.language as tl


@dataclass(frozen=True)
class Meta:
    block: int
    warps: int

    def kwargs(self):
        return {"BLOCK": self.block, "num_warps": self.warps}


@triton.jit
def gemma_rms(x_ptr, w_ptr, y_ptr, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    ok = c < cols
    x = tl.load(x_ptr + row * cols + c, mask=ok, other=0.0)
    w = tl.load(w_ptr + c, mask=ok, other=0.0)
    r = tl.rsqrt(tl.sum(x * x, 0) / cols + 1e-6)
    tl.store(y_ptr + row * cols + c, x * r * (1 + w), mask=ok)


class ModelNew(nn.Module):
    def forward(self, x, w):
        cols = x.shape[-1]
        x2 = x.reshape(-1, cols)
        y = torch.empty_like(x2)
        meta = Meta(block=triton.next_power_of_2(cols), warps=2)
        gemma_rms[(x2.shape[0],)](x2, w, y, cols, **meta.kwargs())
        return y.reshape(x.shape)
