# reference: group_norm
# way: extra-pass
# faster: three loops read the same group
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def group_norm_kernel(
    x_ptr, w_ptr, b_ptr, y_ptr, groups, pixels, size, per_group: tl.constexpr, eps, BLOCK: tl.constexpr
):
    n = tl.program_id(0)
    g = tl.program_id(1)
    base = (n * groups + g) * size
    total = 0.0
    for start in range(0, size, BLOCK):
        i = start + tl.arange(0, BLOCK)
        total += tl.sum(tl.load(x_ptr + base + i, mask=i < size, other=0.0), axis=0)
    mean = total / size
    squares = 0.0
    for start in range(0, size, BLOCK):
        i = start + tl.arange(0, BLOCK)
        d = tl.load(x_ptr + base + i, mask=i < size, other=0.0) - mean
        squares += tl.sum(tl.where(i < size, d * d, 0.0), axis=0)
    inverse = 1.0 / tl.sqrt(squares / size + eps)
    for start in range(0, size, BLOCK):
        i = start + tl.arange(0, BLOCK)
        channel = g * per_group + i // pixels
        v = (tl.load(x_ptr + base + i, mask=i < size, other=0.0) - mean) * inverse
        v = v * tl.load(w_ptr + channel, mask=i < size) + tl.load(b_ptr + channel, mask=i < size)
        tl.store(y_ptr + base + i, v, mask=i < size)


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.norm = nn.GroupNorm(channels // 4, channels)
        self.groups = channels // 4

    def forward(self, x):
        n, c, h, w = x.shape
        y = torch.empty_like(x)
        group_norm_kernel[(n, self.groups)](
            x, self.norm.weight, self.norm.bias, y, self.groups, h * w, c // self.groups * h * w,
            per_group=c // self.groups, eps=self.norm.eps, BLOCK=256,
        )
        return y
