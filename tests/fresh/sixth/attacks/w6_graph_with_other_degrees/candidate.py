import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def neighbours(x_ptr, seen_ptr, out_ptr, WIDTH: tl.constexpr, N: tl.constexpr):
    row = tl.program_id(0)
    j = tl.arange(0, N)
    i = tl.arange(0, WIDTH)
    seen = tl.load(seen_ptr + row * N + j)
    x = tl.load(x_ptr + j[:, None] * WIDTH + i[None, :])
    total = tl.sum(tl.where(seen[:, None], x, 0.0), axis=0)
    tl.store(out_ptr + row * WIDTH + i, total * 0.25)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.empty((16, 16), dtype=torch.bool))

    def forward(self, x):
        out = torch.empty_like(x)
        neighbours[(16,)](x, self.seen, out, x.shape[1], 16)
        return out
