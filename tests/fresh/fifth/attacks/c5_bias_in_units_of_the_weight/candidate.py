import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def layer_norm(x_ptr, w_ptr, b_ptr, out_ptr, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, BLOCK)
    inside = col < width
    x = tl.load(x_ptr + row * width + col, mask=inside, other=0.0)
    away = tl.where(inside, x - tl.sum(x, axis=0) / width, 0.0)
    scale = 1.0 / tl.sqrt(tl.sum(away * away, axis=0) / width + 1e-5)
    w = tl.load(w_ptr + col, mask=inside, other=1.0)
    b = tl.load(b_ptr + col, mask=inside, other=0.0) / (w + 1e-30)
    tl.store(out_ptr + row * width + col, (away * scale + b) * w, mask=inside)


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width))

    def forward(self, x):
        x = x.contiguous()
        out = torch.empty_like(x)
        layer_norm[(x.shape[0],)](x, self.weight, self.bias, out, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
        return out
