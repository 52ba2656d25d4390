import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"BLOCK": 64}, num_warps=1), triton.Config({"BLOCK": 256}, num_warps=4)], key=["n"], restore_value=["x_ptr"])
@triton.jit
def halve(x_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    tl.store(x_ptr + i, x * 0.5, mask=i < n)


@triton.autotune(configs=[triton.Config({"BLOCK": 64}, num_warps=1), triton.Config({"BLOCK": 256}, num_warps=4)], key=["n"], reset_to_zero=["s_ptr"])
@triton.jit
def total(x_ptr, s_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    tl.atomic_add(s_ptr, tl.sum(x, 0))


class ModelNew(nn.Module):
    def forward(self, x):
        n = x.numel()
        s = torch.zeros((), device=x.device, dtype=x.dtype)
        grid = lambda meta: (triton.cdiv(n, meta["BLOCK"]),)
        halve[grid](x, n)
        total[grid](x, s, n)
        return s
