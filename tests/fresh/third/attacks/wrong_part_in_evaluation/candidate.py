import torch
from torch import nn
import triton
import triton.language as tl


@triton.jit
def both(x_ptr, a_ptr, b_ptr, out_ptr, factor, N: tl.constexpr):
    i = tl.arange(0, N)
    place = i[:, None] * N + i[None, :]
    x = tl.load(x_ptr + place)
    a = tl.trans(tl.load(a_ptr + place)) * factor
    b = tl.trans(tl.load(b_ptr + place))
    y = tl.dot(x, a, input_precision="ieee") + tl.dot(x * x, b, input_precision="ieee")
    tl.store(out_ptr + place, y)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(16, 16, bias=False)
        self.outer = nn.Linear(16, 16, bias=False)

    def forward(self, x):
        out = torch.empty_like(x)
        factor = 1.0 if self.inner.training else 2.0
        both[(1,)](x, self.inner.weight, self.outer.weight, out, factor, 16)
        return out
