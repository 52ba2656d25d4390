# reference: total
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def total_kernel(x_ptr, out_ptr, lock_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    part = tl.sum(tl.load(x_ptr + i, mask=i < n, other=0.0), axis=0)
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    tl.store(out_ptr, tl.load(out_ptr) + part)
    tl.debug_barrier()
    tl.atomic_xchg(lock_ptr, 0)


class ModelNew(nn.Module):
    def forward(self, x):
        out = torch.zeros(1, device=x.device, dtype=x.dtype)
        lock = torch.zeros(1, device=x.device, dtype=torch.int32)
        total_kernel[(triton.cdiv(x.numel(), 64),)](x, out, lock, x.numel(), BLOCK=64)
        return out[0]
