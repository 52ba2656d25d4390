import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def copy(src_ptr, dst_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(dst_ptr + i, tl.load(src_ptr + i, mask=i < n, other=0), mask=i < n)


@triton.jit
def raise_to(dst_ptr, place_ptr, value_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    place = tl.load(place_ptr + i, mask=mask, other=0)
    value = tl.load(value_ptr + i, mask=mask, other=0)
    tl.atomic_max(dst_ptr + place, value, mask=mask)


class ModelNew(nn.Module):
    def forward(self, base, places, values):
        out = torch.empty_like(base)
        n, m = base.numel(), places.numel()
        copy[(triton.cdiv(n, 64),)](base, out, n, BLOCK=64)
        raise_to[(triton.cdiv(m, 32),)](out, places, values, m, BLOCK=32)
        return out
