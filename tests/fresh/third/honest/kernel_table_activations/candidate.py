import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _log1p(e):
    u = 1.0 + e
    return tl.where(u == 1.0, e, tl.log(u) * (e / tl.where(u == 1.0, 1.0, u - 1.0)))


@triton.jit
def _expm1(x):
    e = tl.exp(x)
    series = x * (1.0 + x * (0.5 + x * (0.16666666667 + x * (0.04166666667 + x * (0.00833333333 + x * 0.00138888889)))))
    return tl.where(tl.abs(x) < 0.3, series, e - 1.0)


@triton.jit
def activate(x_ptr, y_ptr, n, NAME: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    if NAME == "relu6":
        y = tl.minimum(tl.maximum(x, 0.0), 6.0)
    elif NAME == "mish":
        e = tl.exp(-tl.abs(x))
        # tanh(softplus(x)) in terms of exp(-|x|)
        num = tl.where(x >= 0, 1.0 + 2.0 * e, e * (e + 2.0))
        den = tl.where(x >= 0, 1.0 + 2.0 * e + 2.0 * e * e, e * (e + 2.0) + 2.0)
        y = x * (num / den)
    elif NAME == "elu":
        y = tl.where(x > 0, x, _expm1(tl.minimum(x, 0.0)))
    else:
        y = tl.minimum(tl.maximum(x + 3.0, 0.0), 6.0) / 6.0
    tl.store(y_ptr + i, y, mask=i < n)


class ModelNew(nn.Module):
    def __init__(self, names):
        super().__init__()
        self.names = names

    def forward(self, x):
        x = x.contiguous()
        n = x.numel()
        outs = []
        for name in self.names:
            y = torch.empty_like(x)
            activate[(triton.cdiv(n, 128),)](x, y, n, NAME=name, BLOCK=128)
            outs.append(y)
        return outs
