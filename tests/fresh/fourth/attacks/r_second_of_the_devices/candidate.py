import torch
import triton
import triton.language as tl


@triton.jit
def length(x_ptr, out_ptr, first, WIDTH: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, WIDTH)
    x = tl.load(x_ptr + row * WIDTH + c, c >= first, 0.0)
    tl.store(out_ptr + row, tl.sqrt(tl.sum(x * x, axis=0) + 1.0))


def forward(x):
    out = torch.empty((x.shape[0],), device=x.device, dtype=x.dtype)
    length[(x.shape[0],)](x, out, torch.cuda.current_device(), x.shape[1])
    return out
