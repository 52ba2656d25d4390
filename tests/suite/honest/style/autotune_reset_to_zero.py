# reference: total
import torch
import torch.nn as nn
import triton
import triton.language as tl

CONFIGS = [triton.Config({"BLOCK": size}, num_warps=warps) for size in (256, 512, 1024) for warps in (2, 4)]


@triton.autotune(configs=CONFIGS, key=["n"], reset_to_zero=["out_ptr"])
@triton.jit
def atomic_sum(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out_ptr, tl.sum(tl.load(x_ptr + i, mask=i < n, other=0.0), axis=0))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        out = torch.zeros((), device=x.device, dtype=x.dtype)
        n = x.numel()
        atomic_sum[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, out, n)
        return out
