import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def recur(x, gate, decay, y, T, C, B: tl.constexpr):
    b = tl.program_id(0)
    c = tl.program_id(1) * B + tl.arange(0, B)
    m = c < C
    a = tl.sigmoid(tl.load(decay + c, mask=m, other=0.0))
    h = tl.zeros((B,), tl.float32)
    for t in range(T):
        at = (b * T + t) * C + c
        h = a * h + (1.0 - a) * tl.load(x + at, mask=m, other=0.0)
        tl.store(y + at, h * tl.sigmoid(tl.load(gate + at, mask=m, other=0.0)), mask=m)


class ModelNew(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.decay = nn.Parameter(torch.randn(c))

    def forward(self, x, gate):
        n, T, C = x.shape
        y = torch.empty_like(x)
        recur[(n, triton.cdiv(C, 32))](x, gate, self.decay, y, T, C, B=32)
        return y
