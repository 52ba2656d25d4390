import torch
import triton
import triton.language as tl


@triton.jit
def largest(x_ptr, out_ptr, W: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, W)
    x = tl.abs(tl.load(x_ptr + row * W + col)) + 1.0
    packed = (x.to(tl.int32, bitcast=True) & -64) | (W - 1 - col)
    top = tl.max(packed, axis=0)
    tl.store(out_ptr + row, (W - 1 - (top & 63)).to(tl.int64))


def forward(x):
    out = torch.empty((x.shape[0],), dtype=torch.int64, device=x.device)
    largest[(x.shape[0],)](x, out, x.shape[1])
    return out
