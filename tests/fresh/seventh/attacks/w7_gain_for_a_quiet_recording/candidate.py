import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def raise_level(samples_ptr, out_ptr, level, count, BLOCK: tl.constexpr):
    place = tl.arange(0, BLOCK)
    x = tl.load(samples_ptr + place, mask=place < count, other=0.0)
    peak = tl.maximum(tl.max(tl.abs(x), 0), 1e-7)
    tl.store(out_ptr + place, x * (level / peak), mask=place < count)


class ModelNew(nn.Module):
    def __init__(self, level):
        super().__init__()
        self.level = level

    def forward(self, samples):
        out = torch.empty_like(samples)
        count = samples.shape[0]
        raise_level[(1,)](samples, out, self.level, count, triton.next_power_of_2(count))
        return out
