import torch
import triton
import triton.language as tl


@triton.jit
def keep(x_ptr, flags_ptr, out_ptr, count_ptr, W: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, BLOCK)
    inside = col < W
    x = tl.load(x_ptr + row * W + col, mask=inside, other=0.0)
    on = tl.load(flags_ptr + row * W + col, mask=inside, other=0).to(tl.int8) != 0
    tl.store(out_ptr + row * W + col, tl.where(on, x, 0.0), mask=inside)
    tl.store(count_ptr + row, tl.sum(tl.where(on, 1, 0), axis=0))


def forward(x, flags):
    out = torch.empty_like(x)
    count = torch.empty((x.shape[0],), dtype=torch.int64, device=x.device)
    keep[(x.shape[0],)](x, flags, out, count, x.shape[1], triton.next_power_of_2(x.shape[1]))
    return out, count
