import torch
import triton
import triton.language as tl


@triton.jit
def sort_rows(ids_ptr, out_ptr, W: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, BLOCK)
    ids = tl.load(ids_ptr + row * W + col, mask=col < W, other=1073741824)
    tl.store(out_ptr + row * W + col, tl.sort(ids), mask=col < W)


def forward(ids):
    out = torch.empty_like(ids)
    sort_rows[(ids.shape[0],)](ids, out, ids.shape[1], 64)
    return out
