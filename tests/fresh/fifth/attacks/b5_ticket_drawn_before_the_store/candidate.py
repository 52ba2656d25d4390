import torch
import triton
import triton.language as tl


@triton.jit
def mean_square(x_ptr, y_ptr, parts_ptr, ticket_ptr, out_ptr, count, PARTS: tl.constexpr, BLOCK: tl.constexpr):
    part = tl.program_id(0)
    at = part * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < count, other=0.0)
    y = tl.load(y_ptr + at, mask=at < count, other=0.0)
    total = tl.sum((x - y) * (x - y), axis=0)
    ticket = tl.atomic_add(ticket_ptr, 1)
    tl.store(parts_ptr + part, total)
    if ticket == tl.num_programs(0) - 1:
        tl.debug_barrier()
        p = tl.arange(0, PARTS)
        parts = tl.load(parts_ptr + p, mask=p < tl.num_programs(0), other=0.0)
        tl.store(out_ptr, tl.sum(parts, axis=0) / count)


def forward(x, y):
    blocks = triton.cdiv(x.shape[0], 128)
    parts = torch.zeros((blocks,), dtype=x.dtype, device=x.device)
    ticket = torch.zeros((1,), dtype=torch.int32, device=x.device)
    out = torch.empty((), dtype=x.dtype, device=x.device)
    mean_square[(blocks,)](x, y, parts, ticket, out, x.shape[0], triton.next_power_of_2(blocks), 128)
    return out
