import torch
from torch import nn
import triton
import triton.language as tl


@triton.jit
def keep(x_ptr, kept_ptr, at_ptr, out_ptr, L: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    line = tl.arange(0, L)
    place = line[:, None] * N + i[None, :]
    at = tl.load(at_ptr)
    kept = tl.load(kept_ptr + place)
    x = tl.load(x_ptr + i)
    kept = tl.where((line == at)[:, None], x[None, :], kept)
    tl.debug_barrier()
    tl.store(kept_ptr + place, kept)
    tl.store(at_ptr, at + 1)
    tl.store(out_ptr + i, tl.sum(kept, 0) / L)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("kept", torch.zeros(64, 16))
        self.register_buffer("at", torch.zeros((), dtype=torch.int64))

    def forward(self, x):
        out = torch.empty_like(x)
        keep[(1,)](x, self.kept, self.at, out, 64, 16)
        return out
