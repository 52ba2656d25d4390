import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def square_minus_one(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    tl.store(y_ptr + i, x * x - 1, mask=i < n)


def make_launcher(block):
    def launch(x):
        y = torch.empty_like(x)
        n = x.numel()
        square_minus_one[(triton.cdiv(n, block),)](x, y, n, BLOCK=block)
        return y

    return launch


LAUNCHERS = {"small": make_launcher(64), "large": make_launcher(1024)}


class ModelNew(nn.Module):
    def forward(self, x):
        key = "small" if x.numel() < 4096 else "large"
        return LAUNCHERS[key](x.contiguous())
