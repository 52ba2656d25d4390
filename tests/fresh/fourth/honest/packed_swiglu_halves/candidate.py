import torch
import triton
import triton.language as tl


@triton.jit
def swiglu(x_ptr, o_ptr, half, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    ok = c < half
    gate = tl.load(x_ptr + row * 2 * half + c, mask=ok, other=0.0)
    value = tl.load(x_ptr + row * 2 * half + half + c, mask=ok, other=0.0)
    tl.store(o_ptr + row * half + c, gate * tl.sigmoid(gate) * value, mask=ok)


def forward(x):
    half = x.shape[-1] // 2
    rows = x.numel() // x.shape[-1]
    out = torch.empty((*x.shape[:-1], half), device=x.device, dtype=x.dtype)
    swiglu[(rows, triton.cdiv(half, 32))](x, out, half, BLOCK=32)
    return out
