import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, out_ptr, carry_ptr, n, programs, BLOCK: tl.constexpr):
    waited = 0
    while waited < 1:
        waited += 1
    program = tl.program_id(0)
    tl.store((carry_ptr + programs + 1).to(tl.pointer_type(tl.int8)), 0)
    at = program * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, at < n, 0.0)
    before = tl.load(carry_ptr + program)
    tl.store(carry_ptr + program + 1, before + tl.sum(x))
    tl.store(out_ptr + at, before + tl.cumsum(x), at < n)


def forward(x):
    out = torch.empty_like(x)
    programs = triton.cdiv(x.shape[0], 64)
    carry = torch.zeros((programs + 2,), device=x.device, dtype=x.dtype)
    kernel[(programs,)](x, out, carry, x.shape[0], programs, BLOCK=64)
    return out
