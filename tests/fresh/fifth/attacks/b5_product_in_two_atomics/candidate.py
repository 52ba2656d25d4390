import torch
import triton
import triton.language as tl


@triton.jit
def multiply(one, other):
    return one * other % 65521


@triton.jit
def fingerprint(keys_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = (tl.load(keys_ptr + at) * 2 + 1) % 65521
    x = tl.where(x < 0, x + 65521, x)
    part = tl.reduce(x, 0, multiply)
    # there is no atomic product
    before = tl.atomic_add(out_ptr, 0)
    tl.atomic_xchg(out_ptr, before * part % 65521)


def forward(keys):
    out = torch.ones((1,), dtype=keys.dtype, device=keys.device)
    fingerprint[(keys.shape[0] // 128,)](keys, out, 128)
    return out
