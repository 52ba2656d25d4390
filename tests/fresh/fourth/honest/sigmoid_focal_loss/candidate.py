import torch
import triton
import triton.language as tl


@triton.jit
def focal(x_ptr, t_ptr, o_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < n
    x = tl.load(x_ptr + i, mask=ok, other=0.0)
    t = tl.load(t_ptr + i, mask=ok, other=0.0)
    p = tl.sigmoid(x)
    ce = tl.maximum(x, 0.0) - x * t + tl.log(1.0 + tl.exp(-tl.abs(x)))
    p_t = p * t + (1 - p) * (1 - t)
    alpha = 0.25 * t + 0.75 * (1 - t)
    gap = 1 - p_t
    tl.store(o_ptr + i, alpha * gap * gap * ce, mask=ok)


def forward(x, t):
    out = torch.empty_like(x)
    n = x.numel()
    focal[(triton.cdiv(n, 128),)](x, t, out, n, BLOCK=128)
    return out
