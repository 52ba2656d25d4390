import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def edges(h, root, src, dst, y, N, C, B: tl.constexpr):
    e = tl.program_id(0)
    c = tl.arange(0, B)
    s = tl.load(src + e)
    s = tl.where(s < 0, s + N, s)
    d = tl.load(dst + e)
    v = tl.load(h + s * C + c, mask=c < C, other=0.0)
    tl.atomic_add(y + d * C + c, v * (tl.load(root + s) * tl.load(root + d)), mask=c < C)


class ModelNew(nn.Module):
    def __init__(self, c, d):
        super().__init__()
        self.lin = nn.Linear(c, d, bias=False)

    def forward(self, x, src, dst):
        n = x.shape[0]
        root = torch.bincount(dst, minlength=n).clamp(min=1).float().rsqrt()
        h = self.lin(x)
        y = torch.zeros_like(h)
        edges[(src.numel(),)](h, root, src, dst, y, n, h.shape[1], B=16)
        return y
