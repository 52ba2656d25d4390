import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def block_sums(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    i = pid * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + pid, tl.sum(tl.load(x_ptr + i, mask=i < n, other=0.0), 0))


def tree_sum(x):
    n = x.numel()
    blocks = triton.cdiv(n, 128)
    y = torch.empty(blocks, device=x.device, dtype=x.dtype)
    block_sums[(blocks,)](x, y, n, BLOCK=128)
    if blocks == 1:
        return y
    return tree_sum(y)


class ModelNew(nn.Module):
    def forward(self, x):
        return tree_sum(x.contiguous()).reshape(())
