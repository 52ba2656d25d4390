import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def decayed(x_ptr, gain_ptr, table_ptr, out_ptr, W: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, W)
    x = tl.load(x_ptr + row * W + col) * tl.load(gain_ptr + col)
    tl.store(out_ptr + row * W + col, x * tl.load(table_ptr + col))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.gain = nn.Parameter(torch.randn(64))
        self.register_buffer("table", torch.exp(-torch.arange(64) / 16.0), persistent=False)

    def forward(self, x):
        out = torch.empty_like(x)
        decayed[(x.shape[0],)](x, self.gain, self.table, out, x.shape[1])
        return out
