# reference: softmax_odd
# way: width
# faster: rows of odd length start unaligned, and two loops read each of them
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def softmax_odd(x_ptr, y_ptr, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x_ptr += row * cols
    y_ptr += row * cols
    m = float("-inf")
    z = 0.0
    for start in range(0, cols, BLOCK):
        c = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + c, mask=c < cols, other=float("-inf"))
        new = tl.maximum(m, tl.max(x, axis=0))
        shift = tl.where(new == float("-inf"), 0.0, new)
        z = z * tl.exp(m - shift) + tl.sum(tl.exp(x - shift), axis=0)
        m = new
    for start in range(0, cols, BLOCK):
        c = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + c, mask=c < cols, other=0.0)
        tl.store(y_ptr + c, tl.exp(x - m) / z, mask=c < cols)


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        softmax_odd[(x.shape[0],)](x, y, x.shape[1], BLOCK=64)
        return y
