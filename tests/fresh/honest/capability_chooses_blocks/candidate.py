import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def exp_neg_abs(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    tl.store(y_ptr + i, tl.exp(-tl.abs(x)), mask=i < n)


def block_size():
    if torch.cuda.is_available():
        major, minor = torch.cuda.get_device_capability()
        if major >= 9:
            return 512
    return 256


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        block = block_size()
        exp_neg_abs[(triton.cdiv(x.numel(), block),)](x, y, x.numel(), BLOCK=block)
        return y
