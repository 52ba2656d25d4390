import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def spread(a_ptr, x_ptr, out_ptr, N: tl.constexpr, WIDTH: tl.constexpr):
    row = tl.program_id(0)
    j = tl.arange(0, N)
    i = tl.arange(0, WIDTH)
    a = tl.load(a_ptr + j * N + row)
    x = tl.load(x_ptr + j[:, None] * WIDTH + i[None, :])
    tl.store(out_ptr + row * WIDTH + i, tl.sum(a[:, None] * x, axis=0))


class ModelNew(nn.Module):
    def __init__(self, nodes=16):
        super().__init__()
        self.register_buffer("adjacency", torch.empty((nodes, nodes)))

    def forward(self, x):
        out = torch.empty_like(x)
        spread[(x.shape[0],)](self.adjacency, x, out, x.shape[0], x.shape[1])
        return out
