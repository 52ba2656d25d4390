import torch
import triton
import triton.language as tl


@triton.jit
def sine(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, at < n, 0.0)
    turns = tl.floor(x * 0.15915494309189535 + 0.5)
    tl.store(out_ptr + at, tl.sin(x - turns * 6.2831854820251465), at < n)


def forward(x):
    out = torch.empty_like(x)
    sine[(triton.cdiv(x.numel(), 128),)](x, out, x.numel(), BLOCK=128)
    return out
