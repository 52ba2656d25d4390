import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def gated_norm(x_ptr, z_ptr, w_ptr, out_ptr, width, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    col = tl.arange(0, BLOCK)
    inside = col < width
    x = tl.load(x_ptr + row * width + col, mask=inside, other=0.0)
    z = tl.load(z_ptr + row * width + col, mask=inside, other=0.0)
    x = x * (z * tl.sigmoid(z))
    power = tl.sum(x * x, axis=0) / width
    w = tl.load(w_ptr + col, mask=inside, other=0.0)
    tl.store(out_ptr + row * width + col, x * tl.rsqrt(power + eps) * w, mask=inside)


class ModelNew(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.eps = eps

    def forward(self, x, z):
        out = torch.empty_like(x)
        width = x.shape[-1]
        rows = x.numel() // width
        gated_norm[(rows,)](x, z, self.weight, out, width, self.eps, BLOCK=triton.next_power_of_2(width))
        return out
