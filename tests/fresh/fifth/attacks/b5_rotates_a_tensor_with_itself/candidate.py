import torch
import triton
import triton.language as tl


@triton.jit
def rotate(a_ptr, b_ptr, angle_ptr, out_ptr, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    a = tl.load(a_ptr + at, mask=inside, other=0.0)
    b = tl.load(b_ptr + at, mask=inside, other=0.0)
    angle = tl.load(angle_ptr + at, mask=inside, other=0.0)
    c, s = tl.cos(angle), tl.sin(angle)
    tl.store(a_ptr + at, c * a - s * b, mask=inside)
    tl.store(b_ptr + at, s * a + c * b, mask=inside)
    tl.store(out_ptr + at, angle + 1.0, mask=inside)


def forward(a, b, angle):
    out = torch.empty_like(angle)
    rotate[(triton.cdiv(a.numel(), 128),)](a, b, angle, out, a.numel(), 128)
    return out
