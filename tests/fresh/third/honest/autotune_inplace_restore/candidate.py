import torch
import torch.nn as nn
import triton
import triton.language as tl


def configs():
    return [triton.Config({"BLOCK": size}, num_warps=warps) for size in (64, 256) for warps in (1, 4)]


@triton.autotune(configs=configs(), key=["n"], restore_value=["x_ptr"])
@triton.jit
def scale_clamp(x_ptr, s_ptr, n, width, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    x = tl.load(x_ptr + i, mask=mask)
    s = tl.load(s_ptr + i % width, mask=mask)
    tl.store(x_ptr + i, tl.clamp(x * s, -2.0, 2.0), mask=mask)


class ModelNew(nn.Module):
    def forward(self, x, scale):
        n = x.numel()
        scale_clamp[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, scale, n, x.shape[-1])
        return x
