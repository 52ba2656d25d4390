# reference: total
# class: races: a sum that programs add to without atomics
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def total_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    part = tl.sum(tl.load(x_ptr + i, mask=i < n, other=0.0), axis=0)
    # every program reads and writes one number, and nothing orders them
    tl.store(out_ptr, tl.load(out_ptr) + part)


class ModelNew(nn.Module):
    def forward(self, x):
        out = torch.zeros(1, device=x.device, dtype=x.dtype)
        total_kernel[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), BLOCK=64)
        return out[0]
