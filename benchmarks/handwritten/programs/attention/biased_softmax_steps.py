# reference: biased_softmax
# way: chain
# faster: scaling and bias are launches of their own before the softmax of rows
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def scale_scores(s_ptr, o_ptr, n, scale, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(o_ptr + i, tl.load(s_ptr + i, mask=i < n, other=0.0) * scale, mask=i < n)


@triton.jit
def add_bias(s_ptr, b_ptr, o_ptr, n, period, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    s = tl.load(s_ptr + i, mask=i < n, other=0.0)
    b = tl.load(b_ptr + i % period, mask=i < n, other=0.0)
    tl.store(o_ptr + i, s + b, mask=i < n)


@triton.jit
def softmax_row(s_ptr, o_ptr, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    s = tl.load(s_ptr + row * cols + c, mask=c < cols, other=-float("inf"))
    e = tl.exp(s - tl.max(s, axis=0))
    tl.store(o_ptr + row * cols + c, e / tl.sum(e, axis=0), mask=c < cols)


class ModelNew(nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.scale = scale

    def forward(self, scores, bias):
        heads, rows, cols = scores.shape
        n = scores.numel()
        grid = (triton.cdiv(n, 512),)
        scaled = torch.empty_like(scores)
        scale_scores[grid](scores, scaled, n, self.scale, BLOCK=512)
        biased = torch.empty_like(scores)
        add_bias[grid](scaled, bias, biased, n, rows * cols, BLOCK=512)
        out = torch.empty_like(scores)
        softmax_row[(heads * rows,)](biased, out, cols, BLOCK=triton.next_power_of_2(cols))
        return out
