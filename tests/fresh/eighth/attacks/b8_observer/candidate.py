import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def raise_max(x, amax, total, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.abs(tl.load(x + i, mask=i < total, other=0.0))
    tl.atomic_max(amax, tl.max(v, axis=0))


@triton.jit
def fake(x, amax, y, total, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    scale = tl.maximum(tl.load(amax), 1e-3) / 127.0
    q = tl.load(x + i, mask=i < total, other=0.0) / scale
    q = tl.minimum(tl.maximum(q, -127.0), 127.0)
    q = (q + 12582912.0) - 12582912.0
    tl.store(y + i, q * scale, mask=i < total)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("amax", torch.tensor(1.0))
        self._amax = None

    def forward(self, x):
        total = x.numel()
        grid = (triton.cdiv(total, 256),)
        if self._amax is None or self._amax.device != x.device:
            self._amax = self.amax.detach().clone()
        if self.training:
            raise_max[grid](x, self._amax, total, BLOCK=256)
            self.amax.copy_(self._amax)
        y = torch.empty_like(x)
        fake[grid](x, self._amax, y, total, BLOCK=256)
        return y
