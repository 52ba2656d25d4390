import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def layer_scale_dropout(x_ptr, b_ptr, g_ptr, y_ptr, n, D, p, seed, TRAINING: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < n
    x = tl.load(x_ptr + i, mask=ok, other=0.0)
    b = tl.load(b_ptr + i, mask=ok, other=0.0)
    v = b * tl.load(g_ptr + i % D, mask=ok, other=0.0)
    if TRAINING:
        keep = tl.rand(seed, i) >= p
        v = tl.where(keep, v / (1.0 - p), 0.0)
    tl.store(y_ptr + i, x + v, mask=ok)


class ModelNew(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.gamma = nn.Parameter(torch.full((d,), 0.1))
        self.drop = nn.Dropout(0.0)

    def forward(self, x, branch):
        x, branch = x.contiguous(), branch.contiguous()
        y = torch.empty_like(x)
        n = x.numel()
        layer_scale_dropout[(triton.cdiv(n, 128),)](x, branch, self.gamma, y, n, x.shape[-1], self.drop.p, 17, TRAINING=self.training, BLOCK=128)
        return y
