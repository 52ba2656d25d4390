import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def hard_swish(v):
    return v * tl.minimum(tl.maximum(v + 3.0, 0.0), 6.0) / 6.0


@triton.jit
def train_kernel(x, w, b, rm, rv, y, n, features, eps, momentum, BLOCK: tl.constexpr):
    f = tl.program_id(0)
    r = tl.arange(0, BLOCK)
    live = r < n
    v = tl.load(x + r * features + f, mask=live, other=0.0)
    mean = tl.sum(v, axis=0) / n
    d = tl.where(live, v - mean, 0.0)
    ss = tl.sum(d * d, axis=0)
    out = d * tl.rsqrt(ss / n + eps) * tl.load(w + f) + tl.load(b + f)
    tl.store(y + r * features + f, hard_swish(out), mask=live)
    tl.store(rm + f, (1 - momentum) * tl.load(rm + f) + momentum * mean)
    tl.store(rv + f, (1 - momentum) * tl.load(rv + f) + momentum * ss / (n - 1))


@triton.jit
def eval_kernel(x, scale, shift, y, total, features, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live = i < total
    v = tl.load(x + i, mask=live)
    v = v * tl.load(scale + i % features, mask=live) + tl.load(shift + i % features, mask=live)
    tl.store(y + i, hard_swish(v), mask=live)


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.norm = nn.BatchNorm1d(features)
        self._folded = None

    def train(self, mode=True):
        self._folded = None
        return super().train(mode)

    def _fold(self):
        if self._folded is None:
            norm = self.norm
            with torch.no_grad():
                scale = norm.weight * torch.rsqrt(norm.running_var + norm.eps)
                self._folded = scale.contiguous(), (norm.bias - norm.running_mean * scale).contiguous()
        return self._folded

    def forward(self, x):
        n, features = x.shape
        y = torch.empty_like(x)
        norm = self.norm
        if self.training:
            norm.num_batches_tracked.add_(1)
            train_kernel[(features,)](
                x, norm.weight, norm.bias, norm.running_mean, norm.running_var, y, n, features, norm.eps, norm.momentum,
                BLOCK=triton.next_power_of_2(n),
            )
        else:
            scale, shift = self._fold()
            eval_kernel[(triton.cdiv(x.numel(), 256),)](x, scale, shift, y, x.numel(), features, BLOCK=256)
        return y
