# reference: cumsum
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _add(a, b):
    return a + b


@triton.jit
def cumsum_blocks(x_ptr, y_ptr, N, BLOCK: tl.constexpr):
    """Scans a row block by block and carries the running total."""
    row = tl.program_id(0)
    carry = tl.zeros((1,), dtype=tl.float32)
    for start in range(0, N, BLOCK):
        c = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * N + c, mask=c < N, other=0.0)
        tl.store(y_ptr + row * N + c, tl.associative_scan(x, 0, _add) + carry, mask=c < N)
        carry += tl.sum(x, axis=0)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        y = torch.empty_like(x)
        cumsum_blocks[(x.shape[0],)](x, y, x.shape[1], BLOCK=32)
        return y
