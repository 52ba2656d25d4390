import torch
import triton
import triton.language as tl


@triton.jit
def histogram(x_ptr, out_ptr, count, low, per_unit, BINS: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < count, other=float("inf"))
    place = tl.floor((x - low) * per_unit)
    b = tl.arange(0, 32)
    hits = tl.sum((place[None, :] == b[:, None].to(tl.float32)).to(tl.float32), axis=1)
    tl.atomic_add(out_ptr + b, hits, mask=b < BINS)


def forward(x):
    out = torch.zeros((26,), dtype=x.dtype, device=x.device)
    histogram[(triton.cdiv(x.numel(), 256),)](x, out, x.numel(), -6.5, 2.0, 26, 256)
    return out
