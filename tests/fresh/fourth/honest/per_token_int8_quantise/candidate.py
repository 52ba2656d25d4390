import torch
import triton
import triton.language as tl


@triton.jit
def quantise_rows(x_ptr, q_ptr, s_ptr, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    ok = c < width
    x = tl.load(x_ptr + row * width + c, mask=ok, other=0.0)
    scale = tl.math.div_rn(tl.maximum(tl.max(tl.abs(x), 0), 1e-8), 127.0)
    y = tl.math.div_rn(x, scale)
    magic = 12582912.0
    r = (y + magic) - magic
    r = tl.minimum(tl.maximum(r, -128.0), 127.0)
    tl.store(q_ptr + row * width + c, r.to(tl.int8), mask=ok)
    tl.store(s_ptr + row, scale)


def forward(x):
    q = torch.empty(x.shape, device=x.device, dtype=torch.int8)
    s = torch.empty((x.shape[0], 1), device=x.device, dtype=torch.float32)
    quantise_rows[(x.shape[0],)](x, q, s, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return q, s
