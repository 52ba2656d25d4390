import torch
import triton
import triton.language as tl


@triton.jit
def waves(t_ptr, out_ptr, WIDTH: tl.constexpr):
    row = tl.program_id(0)
    t = tl.load(t_ptr + row * WIDTH + tl.arange(0, WIDTH))
    tl.store(out_ptr + row, tl.sum(tl.cos(tl.minimum(tl.abs(t), 4095.0))))


def forward(t):
    out = torch.empty((t.shape[0], 1), device=t.device, dtype=t.dtype)
    waves[(t.shape[0],)](t, out, 8)
    return out
