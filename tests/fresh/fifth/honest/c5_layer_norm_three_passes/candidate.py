import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def layer_norm(x_ptr, w_ptr, b_ptr, out_ptr, width, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x_ptr += row * width
    out_ptr += row * width
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, width, BLOCK):
        col = start + tl.arange(0, BLOCK)
        total += tl.load(x_ptr + col, mask=col < width, other=0.0)
    mean = tl.sum(total, axis=0) / width
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, width, BLOCK):
        col = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + col, mask=col < width, other=0.0)
        away = tl.where(col < width, x - mean, 0.0)
        squares += away * away
    scale = 1.0 / tl.sqrt(tl.sum(squares, axis=0) / width + eps)
    for start in range(0, width, BLOCK):
        col = start + tl.arange(0, BLOCK)
        inside = col < width
        x = tl.load(x_ptr + col, mask=inside, other=0.0)
        w = tl.load(w_ptr + col, mask=inside, other=0.0)
        b = tl.load(b_ptr + col, mask=inside, other=0.0)
        tl.store(out_ptr + col, (x - mean) * scale * w + b, mask=inside)


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)

    def forward(self, x):
        out = torch.empty_like(x)
        layer_norm[(x.shape[0],)](x, self.norm.weight, self.norm.bias, out, x.shape[1], self.norm.eps, BLOCK=256)
        return out
