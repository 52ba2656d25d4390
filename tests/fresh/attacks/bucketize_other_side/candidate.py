import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, edge_ptr, out_ptr, n, edges, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    x = tl.load(x_ptr + at, inside, 0.0)
    bucket = tl.zeros([BLOCK], tl.int64)
    for i in range(edges):
        bucket += tl.where(x >= tl.load(edge_ptr + i), 1, 0)
    tl.store(out_ptr + at, bucket, inside)


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("edges", torch.linspace(0.05, 0.95, 7))

    def forward(self, x):
        out = torch.empty_like(x, dtype=torch.int64)
        n = x.numel()
        kernel[(triton.cdiv(n, 256),)](x, self.edges, out, n, self.edges.shape[0], BLOCK=256)
        return out
