import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def mix(ids_ptr, out_ptr, odd_ptr, count, buckets, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    h = tl.load(ids_ptr + at, mask=inside, other=0)
    h = h ^ (h >> 31)
    h = h * 6364136223846793005 + 1442695040888963407
    h = h ^ (h >> 29)
    rest = h % buckets
    rest = tl.where(rest < 0, rest + buckets, rest)
    tl.store(out_ptr + at, rest, mask=inside)
    tl.store(odd_ptr + at, (h & 1) != 0, mask=inside)


class ModelNew(nn.Module):
    def __init__(self, buckets):
        super().__init__()
        self.buckets = buckets

    def forward(self, ids):
        out = torch.empty_like(ids)
        odd = torch.empty(ids.shape, device=ids.device, dtype=torch.bool)
        mix[(triton.cdiv(ids.numel(), 256),)](ids, out, odd, ids.numel(), self.buckets, BLOCK=256)
        return out, odd
