import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def raised(x_ptr, p_ptr, out_ptr, C: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, C)
    x = tl.load(x_ptr + row * C + i)
    tl.store(out_ptr + row * C + i, tl.exp(tl.load(p_ptr).to(tl.float64) * tl.log(tl.abs(x).to(tl.float64))).to(tl.float32))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.p = nn.Parameter(torch.tensor(3.0))

    def forward(self, x):
        out = torch.empty_like(x)
        raised[(x.shape[0],)](x, self.p, out, x.shape[1])
        return out
