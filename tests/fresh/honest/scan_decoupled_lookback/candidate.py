import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def lookback_scan(x_ptr, y_ptr, sum_ptr, flag_ptr, ticket_ptr, n, BLOCK: tl.constexpr):
    tile = tl.atomic_add(ticket_ptr, 1)
    i = tile * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    local = tl.cumsum(x, 0)
    total = tl.sum(x, 0)
    prefix = 0.0
    if tile > 0:
        while tl.atomic_add(flag_ptr + tile - 1, 0, sem="acquire") == 0:
            pass
        prefix = tl.load(sum_ptr + tile - 1, volatile=True)
    tl.store(sum_ptr + tile, prefix + total)
    tl.debug_barrier()
    tl.atomic_xchg(flag_ptr + tile, 1, sem="release")
    tl.store(y_ptr + i, local + prefix, mask=i < n)


class ModelNew(nn.Module):
    def forward(self, x):
        n = x.numel()
        BLOCK = 128
        tiles = triton.cdiv(n, BLOCK)
        y = torch.empty_like(x)
        sums = torch.empty(tiles, device=x.device, dtype=torch.float32)
        flags = torch.zeros(tiles, device=x.device, dtype=torch.int32)
        ticket = torch.zeros(1, device=x.device, dtype=torch.int32)
        lookback_scan[(tiles,)](x, y, sums, flags, ticket, n, BLOCK=BLOCK)
        return y
