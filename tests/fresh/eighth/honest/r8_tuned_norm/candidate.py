import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({"BLOCK": 64}, num_warps=2), triton.Config({"BLOCK": 128}, num_warps=4)],
    key=["N"],
)
@triton.jit
def layer_norm(x_ptr, w_ptr, b_ptr, y_ptr, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x_ptr += row * N
    y_ptr += row * N
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, N, BLOCK):
        c = start + tl.arange(0, BLOCK)
        total += tl.load(x_ptr + c, mask=c < N, other=0.0)
    mean = tl.sum(total, axis=0) / N
    squares = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, N, BLOCK):
        c = start + tl.arange(0, BLOCK)
        off = tl.where(c < N, tl.load(x_ptr + c, mask=c < N, other=0.0) - mean, 0.0)
        squares += off * off
    by = 1.0 / tl.sqrt(tl.sum(squares, axis=0) / N + eps)
    for start in range(0, N, BLOCK):
        c = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + c, mask=c < N, other=0.0)
        w = tl.load(w_ptr + c, mask=c < N, other=0.0)
        b = tl.load(b_ptr + c, mask=c < N, other=0.0)
        tl.store(y_ptr + c, (x - mean) * by * w + b, mask=c < N)


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)

    def forward(self, x):
        batch, rows, width = x.shape
        y = torch.empty_like(x)
        layer_norm[(batch * rows,)](x, self.norm.weight, self.norm.bias, y, width, 1e-5)
        return y
