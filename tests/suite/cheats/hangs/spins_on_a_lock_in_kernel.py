# reference: total
# class: endless loop
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def locked_sum(x_ptr, out_ptr, lock_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    while tl.atomic_cas(lock_ptr, 1, 2) != 1:  # nobody ever writes a one
        pass
    tl.store(out_ptr, tl.load(out_ptr) + tl.sum(tl.load(x_ptr + i, mask=i < n, other=0.0), axis=0))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
    def forward(self, x):
        out = torch.zeros((), device=x.device)
        lock = torch.zeros((1,), device=x.device, dtype=torch.int32)
        locked_sum[(triton.cdiv(x.numel(), 256),)](x, out, lock, x.numel(), BLOCK=256)
        return out
