# reference: silu
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def persistent_silu(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    step = tl.num_programs(0) * BLOCK
    for start in range(pid * BLOCK, n, step):
        offs = start + tl.arange(0, BLOCK)
        mask = offs < n
        x = tl.load(x_ptr + offs, mask=mask, other=0.0)
        tl.store(y_ptr + offs, x * tl.sigmoid(x), mask=mask)


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        n = x.numel()
        programs = min(132, triton.cdiv(n, 1024))
        persistent_silu[(programs,)](x, y, n, BLOCK=1024)
        return y
