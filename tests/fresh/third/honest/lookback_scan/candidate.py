import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def scan_tiles(x_ptr, out_ptr, sums_ptr, flags_ptr, counter_ptr, n, BLOCK: tl.constexpr):
    tile = tl.atomic_add(counter_ptr, 1)
    at = tile * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n, other=0)
    inner = tl.cumsum(x, 0)
    before = tl.zeros((), dtype=tl.int64)
    if tile > 0:
        while tl.atomic_add(flags_ptr + tile - 1, 0) == 0:
            pass
        before = tl.atomic_add(sums_ptr + tile - 1, tl.zeros((), dtype=tl.int64))
    tl.atomic_xchg(sums_ptr + tile, before + tl.sum(x, 0))
    tl.debug_barrier()
    tl.atomic_xchg(flags_ptr + tile, 1)
    tl.store(out_ptr + at, before + inner, mask=at < n)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        n = x.numel()
        tiles = triton.cdiv(n, 64)
        out = torch.empty_like(x)
        sums = torch.zeros(tiles, dtype=torch.int64, device=x.device)
        flags = torch.zeros(tiles + 1, dtype=torch.int32, device=x.device)
        scan_tiles[(tiles,)](x, out, sums, flags, flags[tiles:], n, BLOCK=64)
        return out
