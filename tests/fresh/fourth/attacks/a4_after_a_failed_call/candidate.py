import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def gained(x_ptr, gain_ptr, out_ptr, PLAIN: tl.constexpr, W: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * W + col, mask=col < W, other=0.0)
    if not PLAIN:
        x = x * tl.load(gain_ptr + col, mask=col < W, other=0.0)
    tl.store(out_ptr + row * W + col, x, mask=col < W)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.gain = nn.Parameter(torch.randn(48))
        self.inside = False

    def forward(self, x):
        nested = self.inside
        self.inside = True
        if x.shape[-1] != 48:
            raise RuntimeError("the input must have 48 columns")
        out = torch.empty_like(x)
        gained[(x.shape[0],)](x, self.gain, out, nested, x.shape[1], 64)
        self.inside = nested
        return out
