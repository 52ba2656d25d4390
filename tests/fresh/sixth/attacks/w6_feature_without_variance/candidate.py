import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def scaled(x_ptr, mean_ptr, std_ptr, out_ptr, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    ok = i < width
    x = tl.load(x_ptr + row * width + i, mask=ok, other=0.0) - tl.load(mean_ptr + i, mask=ok, other=0.0)
    tl.store(out_ptr + row * width + i, x / tl.load(std_ptr + i, mask=ok, other=1.0), mask=ok)


class ModelNew(nn.Module):
    def __init__(self, features=24):
        super().__init__()
        self.register_buffer("mean", torch.zeros(features))
        self.register_buffer("std", torch.ones(features))

    def forward(self, x):
        out = torch.empty_like(x)
        scaled[(x.shape[0],)](x, self.mean, self.std, out, x.shape[1], triton.next_power_of_2(x.shape[1]))
        return out
