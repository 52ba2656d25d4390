import torch
import triton
import triton.language as tl


@triton.jit
def cheapest(cost_ptr, out_ptr, W: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, BLOCK)
    cost = tl.load(cost_ptr + row * W + col, mask=col < W, other=1000000000000000)
    least = tl.min(cost, axis=0)
    tl.store(out_ptr + row, tl.min(tl.where(cost == least, col, BLOCK), axis=0).to(tl.int64))


def forward(cost):
    out = torch.empty((cost.shape[0],), dtype=torch.int64, device=cost.device)
    cheapest[(cost.shape[0],)](cost, out, cost.shape[1], 64)
    return out
