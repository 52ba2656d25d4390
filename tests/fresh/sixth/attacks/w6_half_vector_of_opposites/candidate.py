import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def halves(x_ptr, w_ptr, out_ptr, K: tl.constexpr, D: tl.constexpr):
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
    cos = dot * (1.0 / tl.sqrt(tl.maximum(xx, 1e-24))) * (1.0 / tl.sqrt(tl.maximum(ww, 1e-24)))
    tl.store(out_ptr + row * K + k, 1.0 / (1.0 + cos))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.axes = nn.Parameter(torch.randn(8, 16))

    def forward(self, x):
        out = torch.empty((x.shape[0], 8), dtype=x.dtype, device=x.device)
        halves[(x.shape[0],)](x, self.axes, out, 8, 16)
        return out
