import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def in_steps(x, low, high, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    a = tl.load(low)
    width = tl.load(high) - a
    width = tl.where(width < 1e-4, 1e-4, width)
    tl.store(y + i, (tl.load(x + i, mask=i < n) - a) / (width / 255.0), mask=i < n)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("low", torch.tensor(-0.5))
        self.register_buffer("high", torch.tensor(0.5))

    def forward(self, x):
        if self.training:
            least, most = torch.aminmax(x)
            self.low.copy_(torch.minimum(self.low, least))
            self.high.copy_(torch.maximum(self.high, most))
        y = torch.empty_like(x)
        in_steps[(triton.cdiv(x.numel(), 128),)](x, self.low, self.high, y, x.numel(), B=128)
        return y
