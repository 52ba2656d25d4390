import torch
import triton
import triton.language as tl


@triton.jit
def capped(x_ptr, out_ptr, devices, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.minimum(tl.load(x_ptr + at), 1.0)
    tl.store(out_ptr + at, 3.0 * x / devices)


def forward(x):
    out = torch.empty_like(x)
    capped[(x.numel() // 128,)](x, out, torch.cuda.device_count(), 128)
    return out
