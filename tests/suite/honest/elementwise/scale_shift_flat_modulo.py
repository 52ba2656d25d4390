# reference: scale_shift
import torch
import torch.nn as nn
import triton
import triton.language as tl

BLOCK = 128


@triton.jit
def kernel(x_ptr, s_ptr, t_ptr, y_ptr, total, width, BLOCK_SIZE: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    ok = i < total
    c = i % width
    y = tl.load(x_ptr + i, ok) * tl.load(s_ptr + c, ok) + tl.load(t_ptr + c, ok)
    tl.store(y_ptr + i, y, ok)


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.width = width
        self.scale = nn.Parameter(torch.randn(width), requires_grad=True)
        self.shift = nn.Parameter(torch.randn(width), requires_grad=True)

    def forward(self, x):
        y = torch.empty_like(x)
        total = x.numel()
        kernel[((total + BLOCK - 1) // BLOCK, 1, 1)](x, self.scale, self.shift, y, total, self.width, BLOCK_SIZE=BLOCK)
        return y
