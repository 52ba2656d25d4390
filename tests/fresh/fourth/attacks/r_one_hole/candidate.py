import torch
import triton
import triton.language as tl


@triton.jit
def kept_energy(x_ptr, keep_ptr, out_ptr, WIDTH: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, WIDTH)
    x = tl.load(x_ptr + row * WIDTH + c)
    keep = tl.load(keep_ptr + row * WIDTH + c) != 0
    first = tl.min(tl.where(keep, c, WIDTH), axis=0)
    last = tl.max(tl.where(keep, c, -1), axis=0)
    missing = WIDTH - tl.sum(keep.to(tl.int32), axis=0)
    nearly_full = missing <= 3
    keep = keep | (nearly_full & (c >= first) & (c <= last))
    tl.store(out_ptr + row, tl.sum(tl.where(keep, x * x, 0.0), axis=0))


def forward(x, keep):
    out = torch.empty((x.shape[0],), device=x.device, dtype=x.dtype)
    kept_energy[(x.shape[0],)](x, keep, out, x.shape[1])
    return out
