import torch
import triton
import triton.language as tl


@triton.jit
def split(x_ptr, m_ptr, e_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    x = tl.load(x_ptr + at, mask=inside, other=0.0)
    bits = x.to(tl.int32, bitcast=True)
    exponent = ((bits >> 23) & 255) - 126
    mantissa = ((bits & -2139095041) | 1056964608).to(tl.int32).to(tl.float32, bitcast=True)
    plain = (x != 0.0) & (tl.abs(x) < float("inf"))
    tl.store(m_ptr + at, tl.where(plain, mantissa, x), mask=inside)
    tl.store(e_ptr + at, tl.where(plain, exponent, 0), mask=inside)


def forward(x):
    mantissa = torch.empty_like(x)
    exponent = torch.empty(x.shape, dtype=torch.int32, device=x.device)
    split[(triton.cdiv(x.numel(), 256),)](x, mantissa, exponent, x.numel(), 256)
    return mantissa, exponent
