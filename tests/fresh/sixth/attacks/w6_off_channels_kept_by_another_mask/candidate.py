import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def kept(x_ptr, keep_ptr, out_ptr, by, C: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, C)
    tl.store(out_ptr + row * C + i, tl.load(x_ptr + row * C + i) * tl.load(keep_ptr + i) * by)


class ModelNew(nn.Module):
    def __init__(self, channels=32):
        super().__init__()
        self.register_buffer("keep", (torch.arange(channels) * 5 % 8 < 6).float())
        self.by = channels / sum(1 for c in range(channels) if c * 5 % 8 < 6)

    def forward(self, x):
        out = torch.empty_like(x)
        kept[(x.shape[0],)](x, self.keep, out, self.by, x.shape[1])
        return out
