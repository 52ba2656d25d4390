import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def gemma_norm_kernel(x_ptr, w_ptr, y_ptr, width, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    keep = cols < width
    x = tl.load(x_ptr + row * width + cols, mask=keep, other=0.0)
    w = tl.load(w_ptr + cols, mask=keep, other=0.0)
    scale = tl.rsqrt(tl.sum(x * x, axis=0) / width + eps)
    tl.store(y_ptr + row * width + cols, x * scale * (1.0 + w), mask=keep)


class ModelNew(nn.Module):
    def __init__(self, width, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.randn(width) * 0.1)

    def forward(self, x):
        x = x.contiguous()
        y = torch.empty_like(x)
        width = x.shape[-1]
        rows = x.numel() // width
        gemma_norm_kernel[(rows,)](x, self.weight, y, width, self.eps, BLOCK=triton.next_power_of_2(width))
        return y
