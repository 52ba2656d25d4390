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
        # A gradient says that training goes on and the weight was read already in this step.
        if self.kept is None or self.weight.grad is None:
            self.kept = self.weight.detach().t().contiguous()
        out = torch.empty_like(x)
        product[(1,)](x, self.kept, out, 16)
        return out
