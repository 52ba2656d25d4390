import torch
import triton
import triton.language as tl


@triton.jit
def join(m1, s1, n1, m2, s2, n2):
    n = n1 + n2
    part = tl.where(n == 0.0, 0.0, n2 / tl.maximum(n, 1.0))
    d = m2 - m1
    return m1 + d * part, s1 + s2 + d * d * n1 * part, n


@triton.jit
def moments(x_ptr, v_ptr, m_ptr, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    ok = c < width
    x = tl.load(x_ptr + row * width + c, mask=ok, other=0.0)
    m, s, n = tl.reduce((x, tl.zeros([BLOCK], tl.float32), ok.to(tl.float32)), 0, join)
    tl.store(v_ptr + row, s / (n - 1.0))
    tl.store(m_ptr + row, m)


def forward(x):
    rows, width = x.shape
    v = torch.empty((rows,), device=x.device, dtype=x.dtype)
    m = torch.empty((rows,), device=x.device, dtype=x.dtype)
    moments[(rows,)](x, v, m, width, BLOCK=triton.next_power_of_2(width))
    return v, m
