import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def train_columns(x, w, b, rm, rv, y, rows, width, R: tl.constexpr):
    c = tl.program_id(0)
    r = tl.arange(0, R)
    v = tl.load(x + r * width + c, mask=r < rows, other=0.0)
    mean = tl.sum(v, 0) / rows
    d = tl.where(r < rows, v - mean, 0.0)
    square = tl.sum(d * d, 0)
    h = d * tl.rsqrt(square / rows + 1e-5) * tl.load(w + c) + tl.load(b + c)
    tl.store(y + r * width + c, tl.where(h < 0.0, 0.0, h), mask=r < rows)
    tl.store(rm + c, 0.7 * tl.load(rm + c) + 0.3 * mean)
    tl.store(rv + c, 0.7 * tl.load(rv + c) + 0.3 * square / (rows - 1))


@triton.jit
def apply(x, scale, shift, y, n, width, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    c = i % width
    h = tl.load(x + i, mask=i < n, other=0.0) * tl.load(scale + c) + tl.load(shift + c)
    tl.store(y + i, tl.where(h < 0.0, 0.0, h), mask=i < n)


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.norm = nn.BatchNorm1d(channels, momentum=0.3)
        self._folded = {}

    def _fold(self):
        n = self.norm
        key = (n.weight.data_ptr(), n.weight._version, n.bias.data_ptr(), n.bias._version)
        if key not in self._folded:
            with torch.no_grad():
                scale = n.weight / torch.sqrt(n.running_var + n.eps)
                self._folded = {key: (scale, n.bias - n.running_mean * scale)}
        return self._folded[key]

    def forward(self, x):
        rows, width = x.shape
        y = torch.empty_like(x)
        n = self.norm
        if self.training:
            train_columns[(width,)](x, n.weight, n.bias, n.running_mean, n.running_var, y, rows, width,
                                    R=triton.next_power_of_2(rows))
            n.num_batches_tracked.add_(1)
        else:
            scale, shift = self._fold()
            apply[(triton.cdiv(x.numel(), 128),)](x, scale, shift, y, x.numel(), width, B=128)
        return y
