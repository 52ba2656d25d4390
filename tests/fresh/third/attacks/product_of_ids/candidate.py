import torch
from torch import nn
import triton
import triton.language as tl


@triton.jit
def priced(a_ptr, b_ptr, out_ptr, BLOCK: tl.constexpr):
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(a_ptr + place)
    b = tl.load(b_ptr + place)
    low = a & 65535
    high = a >> 16
    near = low * b
    far = ((high * b).to(tl.int32)).to(tl.int64) << 16
    p = near + far
    q = p // 1000
    q = tl.where(q * 1000 > p, q - 1, q)
    tl.store(out_ptr + place, q)


def forward(a, b):
    out = torch.empty_like(a)
    priced[(8,)](a, b, out, 32)
    return out
