import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def histogram_kernel(x_ptr, out_ptr, n, BINS: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < n
    v = tl.load(x_ptr + i, mask=ok, other=0)
    v = tl.minimum(tl.maximum(v, 0), BINS - 1).to(tl.int32)
    counts = tl.histogram(v, BINS, mask=ok)
    tl.atomic_add(out_ptr + tl.arange(0, BINS), counts.to(tl.int64))


class ModelNew(nn.Module):
    def __init__(self, bins):
        super().__init__()
        self.bins = bins

    def forward(self, x):
        out = torch.zeros(self.bins, dtype=torch.int64, device=x.device)
        n = x.numel()
        histogram_kernel[(triton.cdiv(n, 256),)](x, out, n, BINS=self.bins, BLOCK=256)
        return out
