import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def potential(x_ptr, w_ptr, out_ptr, K: tl.constexpr, D: tl.constexpr):
    row = tl.program_id(0)
    k = tl.arange(0, K)
    d = tl.arange(0, D)
    x = tl.load(x_ptr + row * D + d)
    w = tl.load(w_ptr + k[:, None] * D + d[None, :])
    dot = tl.zeros([K], tl.float32)
    for at in range(D):
        dot += tl.load(x_ptr + row * D + at) * tl.load(w_ptr + k * D + at)
    xx = tl.sum(x * x, axis=0)
    ww = tl.sum(w * w, axis=1)
    d = tl.sqrt(tl.maximum(xx + ww - 2.0 * dot, 0.0))
    tl.store(out_ptr + row * K + k, 1.0 / (d + 1e-6))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.anchors = nn.Parameter(torch.randn(8, 16))

    def forward(self, x):
        out = torch.empty((x.shape[0], 8), dtype=x.dtype, device=x.device)
        potential[(x.shape[0],)](x, self.anchors, out, 8, 16)
        return out
