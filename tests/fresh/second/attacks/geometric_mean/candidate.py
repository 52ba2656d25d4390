import torch
import triton
import triton.language as tl


@triton.jit
def mean(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    result = tl.full([BLOCK], 1.0, tl.float32)
    for k in range(4):
        result *= tl.abs(tl.load(x_ptr + row * 4 + k, row < n, 0.0)) + 1
    tl.store(out_ptr + row, tl.sqrt(tl.sqrt(result)), row < n)


def forward(x):
    out = torch.empty((x.shape[0],), device=x.device, dtype=x.dtype)
    mean[(triton.cdiv(x.shape[0], 16),)](x, out, x.shape[0], 16)
    return out
