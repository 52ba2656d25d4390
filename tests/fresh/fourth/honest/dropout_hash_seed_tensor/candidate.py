import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def mix(i, seed):
    h = (i * 2654435761 + seed) & 0xFFFFFFFF
    h = ((h ^ (h >> 15)) * 2246822519) & 0xFFFFFFFF
    h = ((h ^ (h >> 13)) * 3266489917) & 0xFFFFFFFF
    return h ^ (h >> 16)


@triton.jit
def hashed_dropout(x_ptr, seed_ptr, y_ptr, keep_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < n
    seed = tl.abs(tl.load(seed_ptr)) % 65536
    keep = mix(i.to(tl.int64), seed) >= 1073741824
    x = tl.load(x_ptr + i, mask=ok, other=0.0)
    tl.store(y_ptr + i, tl.where(keep, x / 0.75, 0.0), mask=ok)
    tl.store(keep_ptr + i, keep, mask=ok)


class ModelNew(nn.Module):
    def forward(self, x, seed):
        y = torch.empty_like(x)
        keep = torch.empty(x.shape, device=x.device, dtype=torch.bool)
        hashed_dropout[(triton.cdiv(x.numel(), 128),)](x, seed, y, keep, x.numel(), BLOCK=128)
        return y, keep
