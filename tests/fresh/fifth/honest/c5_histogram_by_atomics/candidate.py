import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def count(x_ptr, counts_ptr, width, bins, BLOCK: tl.constexpr):
    channel = tl.program_id(0)
    at = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = at < width
    x = tl.load(x_ptr + channel * width + at, mask=inside, other=0.0)
    x = tl.minimum(tl.maximum(x, 0.0), 1.0)
    place = tl.minimum((x * bins).to(tl.int32), bins - 1)
    tl.atomic_add(counts_ptr + channel * bins + place, tl.full([BLOCK], 1, tl.int64), mask=inside)


class ModelNew(nn.Module):
    def __init__(self, bins):
        super().__init__()
        self.bins = bins

    def forward(self, x):
        channels, width = x.shape
        counts = torch.zeros(channels, self.bins, dtype=torch.int64, device=x.device)
        count[(channels, triton.cdiv(width, 128))](x, counts, width, self.bins, BLOCK=128)
        return counts
