# reference: softmax
# way: extra-pass
# faster: the row is read three times; it fits one block
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def softmax_three_loops(dst, src, stride, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    src += row * stride
    dst += row * stride
    peak = tl.full([BLOCK], float("-inf"), tl.float32)
    for start in range(0, width, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        peak = tl.maximum(peak, tl.load(src + cols, mask=cols < width, other=float("-inf")))
    top = tl.max(peak, axis=0)
    total = tl.zeros([BLOCK], tl.float32)
    for start in range(0, width, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.exp(tl.load(src + cols, mask=cols < width, other=float("-inf")) - top)
    denominator = tl.sum(total, axis=0)
    for start in range(0, width, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        v = tl.load(src + cols, mask=cols < width, other=0.0)
        tl.store(dst + cols, tl.exp(v - top) / denominator, mask=cols < width)


class ModelNew(nn.Module):
    def forward(self, x):
        rows, width = x.shape
        y = torch.empty_like(x)
        softmax_three_loops[(rows,)](y, x, x.stride(0), width, BLOCK=256)
        return y
