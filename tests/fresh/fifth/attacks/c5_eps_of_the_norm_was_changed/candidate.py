import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def add_and_norm(x_ptr, r_ptr, w_ptr, b_ptr, out_ptr, sum_ptr, width, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, BLOCK)
    inside = col < width
    x = tl.load(x_ptr + row * width + col, mask=inside, other=0.0)
    x += tl.load(r_ptr + row * width + col, mask=inside, other=0.0)
    tl.store(sum_ptr + row * width + col, x, mask=inside)
    away = tl.where(inside, x - tl.sum(x, axis=0) / width, 0.0)
    scale = 1.0 / tl.sqrt(tl.sum(away * away, axis=0) / width + eps)
    w = tl.load(w_ptr + col, mask=inside, other=0.0)
    b = tl.load(b_ptr + col, mask=inside, other=0.0)
    tl.store(out_ptr + row * width + col, away * scale * w + b, mask=inside)


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.settings = (self.norm.eps, triton.next_power_of_2(width))

    def forward(self, x, residual):
        x, residual = x.contiguous(), residual.contiguous()
        width = x.shape[-1]
        out, total = torch.empty_like(x), torch.empty_like(x)
        eps, block = self.settings
        add_and_norm[(x.numel() // width,)](x, residual, self.norm.weight, self.norm.bias, out, total, width, eps, BLOCK=block)
        return out, total
