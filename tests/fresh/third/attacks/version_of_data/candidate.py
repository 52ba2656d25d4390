import torch
from torch import nn
import triton
import triton.language as tl


@triton.jit
def product(x_ptr, w_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    place = i[:, None] * N + i[None, :]
    tl.store(out_ptr + place, tl.dot(tl.load(x_ptr + place), tl.load(w_ptr + place), input_precision="ieee"))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(16, 16))
        self.kept = None

    def forward(self, x):
        now = (self.weight.data_ptr(), self.weight._version)
        if self.kept is None or self.kept[0] != now:
            self.kept = (now, self.weight.detach().t().contiguous())
        out = torch.empty_like(x)
        product[(1,)](x, self.kept[1], out, 16)
        return out
