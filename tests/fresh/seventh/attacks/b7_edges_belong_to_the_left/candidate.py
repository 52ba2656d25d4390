import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def binned(x, edges, scale, y, bins, n, EDGES: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0)
    b = tl.zeros((B,), tl.int64)
    for e in tl.static_range(EDGES):
        b += (tl.load(edges + e) < v).to(tl.int64)
    b = tl.where(v != v, EDGES, b)
    tl.store(y + i, v * tl.load(scale + b), mask=i < n)
    tl.store(bins + i, b, mask=i < n)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("edges", torch.tensor([-1.5, -0.5, 0.0, 0.75, 2.0]))
        self.scale = nn.Parameter(torch.rand(6) + 0.5)

    def forward(self, x):
        y = torch.empty_like(x)
        bins = torch.empty(x.shape, device=x.device, dtype=torch.int64)
        binned[(triton.cdiv(x.numel(), 128),)](x, self.edges, self.scale, y, bins, x.numel(), EDGES=5, B=128)
        return y, bins
