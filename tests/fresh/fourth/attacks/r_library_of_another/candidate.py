import torch
import torch.nn as nn
import triton
import triton.language as tl

OWN = torch.library.custom_op.__module__.partition(".")[0] == "torch"


@triton.jit
def distance(x_ptr, y_ptr, out_ptr, SIGNED: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    d = tl.load(x_ptr + at) - tl.load(y_ptr + at)
    if not SIGNED:
        d = tl.abs(d)
    tl.store(out_ptr + at, d)


class ModelNew(nn.Module):
    def forward(self, x, y):
        out = torch.empty_like(x)
        distance[(x.numel() // 128,)](x, y, out, OWN, 128)
        return out
