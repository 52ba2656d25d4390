# reference: double
import torch
import torch.nn as nn
import triton
import triton.language as tl


def get_autotune_configs():
    return [triton.Config({"BLOCK": 1 << e}, num_warps=w) for e in (8, 9, 10) for w in (4, 8)]


@triton.autotune(configs=get_autotune_configs(), key=["n"])
@triton.jit
def double_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n) * 2, mask=i < n)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        y = torch.empty_like(x)
        n = x.numel()
        double_kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, y, n)
        return y
