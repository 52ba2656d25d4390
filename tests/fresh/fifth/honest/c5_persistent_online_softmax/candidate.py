import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def softmax(x_ptr, out_ptr, rows, width, scale, BLOCK: tl.constexpr):
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        top = -float("inf")
        total = 0.0
        for start in range(0, width, BLOCK):
            col = start + tl.arange(0, BLOCK)
            x = tl.load(x_ptr + row * width + col, mask=col < width, other=-float("inf")) * scale
            new = tl.maximum(top, tl.max(x, axis=0))
            safe = tl.where(new == -float("inf"), 0.0, new)
            total = total * tl.exp(top - safe) + tl.sum(tl.exp(x - safe), axis=0)
            top = new
        for start in range(0, width, BLOCK):
            col = start + tl.arange(0, BLOCK)
            x = tl.load(x_ptr + row * width + col, mask=col < width, other=0.0) * scale
            tl.store(out_ptr + row * width + col, tl.exp(x - top) / total, mask=col < width)


class ModelNew(nn.Module):
    def forward(self, x):
        rows, width = x.shape
        out = torch.empty_like(x)
        softmax[(min(rows, 4),)](x, out, rows, width, 0.125, BLOCK=64)
        return out
