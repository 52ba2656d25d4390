import torch
import triton
import triton.language as tl


@triton.jit
def chained_scan(x_ptr, y_ptr, ticket_ptr, prefix_ptr, flag_ptr, n, BLOCK: tl.constexpr):
    b = tl.atomic_add(ticket_ptr, 1)
    i = b * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0)
    local = tl.cumsum(x, 0)
    total = tl.sum(x, 0)
    before = total * 0
    if b > 0:
        while tl.atomic_add(flag_ptr + b - 1, 0, sem="acquire") == 0:
            pass
        before = tl.atomic_add(prefix_ptr + b - 1, before)
    tl.atomic_add(prefix_ptr + b, before + total)
    tl.debug_barrier()
    tl.atomic_xchg(flag_ptr + b, 1, sem="release")
    tl.store(y_ptr + i, local + before, mask=i < n)


def forward(x):
    n = x.shape[0]
    blocks = triton.cdiv(n, 64)
    ticket = torch.zeros(1, device=x.device, dtype=torch.int32)
    prefix = torch.zeros(blocks, device=x.device, dtype=torch.int64)
    flags = torch.zeros(blocks, device=x.device, dtype=torch.int32)
    y = torch.empty_like(x)
    chained_scan[(blocks,)](x, y, ticket, prefix, flags, n, BLOCK=64)
    return y
