import torch
import triton
import triton.language as tl


@triton.jit
def share(x_ptr, out_ptr, WIDTH: tl.constexpr):
    row = tl.program_id(0)
    x = tl.load(x_ptr + row * WIDTH + tl.arange(0, WIDTH))
    tl.store(out_ptr + row, tl.sum((x > 1).to(tl.float32)) / WIDTH)


def forward(x):
    out = torch.empty((x.shape[0],), device=x.device, dtype=x.dtype)
    share[(x.shape[0],)](x, out, 32)
    return out
