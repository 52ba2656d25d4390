import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def conv3(x, w, b, y, CI: tl.constexpr, CO, H, W, BO: tl.constexpr, BX: tl.constexpr):
    n = tl.program_id(2)
    row = tl.program_id(1)
    o = tl.arange(0, BO)
    col = tl.program_id(0) * BX + tl.arange(0, BX)
    acc = tl.zeros((BO, BX), tl.float32) + tl.load(b + o, mask=o < CO, other=0.0)[:, None]
    for ci in range(CI):
        for tap in range(9):
            r = row + tap // 3 - 1
            k = col + tap % 3 - 1
            inside = (r >= 0) & (r < H) & (k >= 0) & (k < W) & (col < W)
            v = tl.load(x + ((n * CI + ci) * H + r) * W + k, mask=inside, other=0.0)
            g = tl.load(w + (o * CI + ci) * 9 + tap, mask=o < CO, other=0.0)
            acc += g[:, None] * v[None, :]
    at = ((n * CO + o[:, None]) * H + row) * W + col[None, :]
    tl.store(y + at, acc, mask=(o[:, None] < CO) & (col[None, :] < W))


class ModelNew(nn.Module):
    def __init__(self, a, b):
        super().__init__()
        self.conv = nn.Conv2d(a, b, 3, padding=1)

    def forward(self, x):
        n, ci, H, W = x.shape
        co = self.conv.weight.shape[0]
        y = torch.empty((n, co, H, W), device=x.device, dtype=x.dtype)
        conv3[(triton.cdiv(W, 8), H, n)](x, self.conv.weight, self.conv.bias, y, ci, co, H, W,
                                         BO=triton.next_power_of_2(co), BX=8)
        return y
