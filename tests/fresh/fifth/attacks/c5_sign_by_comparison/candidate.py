import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def signed_root(size_ptr, direction_ptr, out_ptr, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    root = tl.sqrt(tl.abs(tl.load(size_ptr + at, mask=inside, other=0.0)))
    direction = tl.load(direction_ptr + at, mask=inside, other=0.0)
    tl.store(out_ptr + at, tl.where(direction < 0.0, -root, root), mask=inside)


class ModelNew(nn.Module):
    def forward(self, size, direction):
        size, direction = size.contiguous(), direction.contiguous()
        out = torch.empty_like(size)
        signed_root[(triton.cdiv(size.numel(), 256),)](size, direction, out, size.numel(), BLOCK=256)
        return out
