# reference: double
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def persistent_double(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    """Grid-stride loop: a fixed number of programs walks the tensor."""
    start = tl.program_id(0) * BLOCK
    step = tl.num_programs(0) * BLOCK
    for base in range(start, n, step):
        offs = base + tl.arange(0, BLOCK)
        tl.store(out_ptr + offs, 2.0 * tl.load(x_ptr + offs, mask=offs < n), mask=offs < n)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.num_programs = 3

    def forward(self, x):
        out = torch.empty_like(x)
        persistent_double[(self.num_programs,)](x, out, x.numel(), BLOCK=128)
        return out
