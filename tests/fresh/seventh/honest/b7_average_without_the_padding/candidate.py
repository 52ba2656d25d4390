import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def mean3(x, y, H: tl.constexpr, W: tl.constexpr, BW: tl.constexpr):
    plane = tl.program_id(0)
    row = tl.program_id(1)
    c = tl.arange(0, BW)
    total = tl.zeros((BW,), tl.float32)
    count = tl.zeros((BW,), tl.float32)
    for dy in range(-1, 2):
        for dx in range(-1, 2):
            r = row + dy
            k = c + dx
            inside = (r >= 0) & (r < H) & (k >= 0) & (k < W)
            total += tl.load(x + plane * H * W + r * W + k, mask=inside, other=0.0)
            count += tl.where(inside, 1.0, 0.0)
    tl.store(y + plane * H * W + row * W + c, total / tl.where(count == 0.0, 1.0, count), mask=c < W)


class ModelNew(nn.Module):
    def forward(self, x):
        n, c, H, W = x.shape
        y = torch.empty_like(x)
        mean3[(n * c, H)](x, y, H=H, W=W, BW=triton.next_power_of_2(W))
        return y
