# reference: total
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def block_sums(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + tl.program_id(0), tl.sum(tl.load(x_ptr + i, mask=i < n, other=0.0), axis=0))


def tree_sum(x, block):
    """Sums by repeated launches until one value is left."""
    values = x.contiguous().view(-1)
    while values.numel() > 1:
        count = triton.cdiv(values.numel(), block)
        sums = torch.empty(count, device=x.device, dtype=x.dtype)
        block_sums[(count,)](values, sums, values.numel(), BLOCK=block)
        values = sums
    return values.view(())


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return tree_sum(x, 128)
