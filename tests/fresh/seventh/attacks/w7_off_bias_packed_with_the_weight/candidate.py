import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def linear_kernel(x_ptr, packed_ptr, out_ptr, INNER: tl.constexpr, OUTER: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    k, n = tl.arange(0, BLOCK), tl.arange(0, OUTER)
    x = tl.load(x_ptr + row * INNER + k, mask=k < INNER, other=0.0)
    x = tl.where(k == INNER, 1.0, x)  # the bias is the last column
    packed = tl.load(packed_ptr + n[:, None] * (INNER + 1) + k[None, :], mask=k[None, :] <= INNER, other=0.0)
    y = tl.sum(packed * x[None, :], 1)
    small = tl.exp(-2.0 * tl.abs(y))
    square = y * y
    series = y * (1.0 - square * (0.33333334 - square * (0.13333334 - square * 0.053968254)))
    large = tl.where(y < 0, -1.0, 1.0) * (1.0 - small) / (1.0 + small)
    tl.store(out_ptr + row * OUTER + n, tl.where(tl.abs(y) < 0.1, series, large))


class ModelNew(nn.Module):
    def __init__(self, inner, outer):
        super().__init__()
        self.linear = nn.Linear(inner, outer)
        self.packed, self.version = None, None

    def forward(self, x):
        weight, bias = self.linear.weight, self.linear.bias
        if self.packed is None or self.version != (self.linear.weight._version, self.linear.weight.data_ptr()):
            self.packed = torch.cat([weight.detach(), bias.detach().unsqueeze(1)], 1)
            self.version = (self.linear.weight._version, self.linear.weight.data_ptr())
        rows, inner = x.shape
        outer = weight.shape[0]
        out = torch.empty((rows, outer), device=x.device, dtype=x.dtype)
        linear_kernel[(rows,)](x, self.packed, out, inner, outer, triton.next_power_of_2(inner + 1))
        return out
