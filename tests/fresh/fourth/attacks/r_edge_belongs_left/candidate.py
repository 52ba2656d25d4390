import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def bucketize(x_ptr, edges_ptr, out_ptr, n, EDGES: tl.constexpr, WIDE: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    e = tl.arange(0, WIDE)
    x = tl.load(x_ptr + at, at < n, 0.0)
    edges = tl.load(edges_ptr + e, e < EDGES, float("inf"))
    passed = (x[:, None] >= edges[None, :]) & (e[None, :] < EDGES)
    tl.store(out_ptr + at, tl.sum(passed.to(tl.int64), axis=1), at < n)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("edges", torch.arange(40) * 0.1 + 0.05)

    def forward(self, x):
        out = torch.empty(x.shape, device=x.device, dtype=torch.int64)
        bucketize[(triton.cdiv(x.numel(), 32),)](x, self.edges, out, x.numel(), self.edges.shape[0], 64, 32)
        return out
