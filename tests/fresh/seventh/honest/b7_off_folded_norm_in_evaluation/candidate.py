import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def affine_tanh(x, a, b, y, n, C, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    m = i < n
    h = tl.load(x + i, mask=m, other=0.0) * tl.load(a + i % C, mask=m) + tl.load(b + i % C, mask=m)
    tl.store(y + i, 2.0 * tl.sigmoid(2.0 * h) - 1.0, mask=m)


class ModelNew(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.bn = nn.BatchNorm1d(c)
        self._kept = None

    def _fold(self):
        bn = self.bn
        parts = (bn.weight, bn.bias, bn.running_mean, bn.running_var)
        versions = tuple(p._version for p in parts)
        kept = self._kept
        if kept is not None and kept[1] == versions and all(a is b for a, b in zip(kept[0], parts)):
            return kept[2]
        with torch.no_grad():
            scale = bn.weight / torch.sqrt(bn.running_var + bn.eps)
            made = (scale, bn.bias - bn.running_mean * scale)
        self._kept = (parts, versions, made)
        return made

    def forward(self, x):
        if self.training:
            self._kept = None  # the library moves the running moments without a new version
            return torch.tanh(self.bn(x))
        scale, shift = self._fold()
        y = torch.empty_like(x)
        affine_tanh[(triton.cdiv(x.numel(), 128),)](x, scale, shift, y, x.numel(), x.shape[1], B=128)
        return y
