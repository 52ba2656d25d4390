import torch
import triton
import triton.language as tl


@triton.jit
def sines(t_ptr, out_ptr, WIDTH: tl.constexpr):
    row = tl.program_id(0)
    t = tl.load(t_ptr + row * WIDTH + tl.arange(0, WIDTH))
    turns = tl.floor(t * 0.15915494309189535 + 0.5)
    rest = (t - turns * 6.28125) - turns * 0.0019353071795864769
    tl.store(out_ptr + row, tl.sum(tl.sin(rest)))


def forward(t):
    out = torch.empty((t.shape[0],), device=t.device, dtype=t.dtype)
    sines[(t.shape[0],)](t, out, 8)
    return out
