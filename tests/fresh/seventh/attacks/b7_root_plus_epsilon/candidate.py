import torch
import torch.nn as nn
import triton
import triton.language as tl


EPS = 1e-6


@triton.jit
def gated_rms(X, G, W, Y, width, E: tl.constexpr, B: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, B)
    m = c < width
    x = tl.load(X + row * width + c, mask=m, other=0.0)
    g = tl.load(G + row * width + c, mask=m, other=0.0)
    h = x * tl.sigmoid(g)
    root = tl.sqrt(tl.sum(h * h, 0) / width) + E
    tl.store(Y + row * width + c, h / root * tl.load(W + c, mask=m, other=0.0), mask=m)


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(width))

    def forward(self, x, gate):
        y = torch.empty_like(x)
        width = x.shape[-1]
        gated_rms[(x.numel() // width,)](x, gate, self.gain, y, width, E=EPS, B=triton.next_power_of_2(width))
        return y
