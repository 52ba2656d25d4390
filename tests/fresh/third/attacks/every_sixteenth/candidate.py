import torch
from torch import nn
import triton
import triton.language as tl


@triton.jit
def centre(x_ptr, step_ptr, mean_ptr, out_ptr, ROWS: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    place = tl.arange(0, ROWS)[:, None] * N + i[None, :]
    x = tl.load(x_ptr + place)
    step = tl.load(step_ptr) + 1
    mean = tl.load(mean_ptr + i) * 0.9 + tl.sum(x, 0) / ROWS * 0.1
    tl.store(out_ptr + place, x - mean[None, :])
    tl.debug_barrier()
    tl.store(mean_ptr + i, mean)
    tl.store(step_ptr, step)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("step", torch.zeros((), dtype=torch.int64))
        self.register_buffer("mean", torch.randn(64))

    def forward(self, x):
        out = torch.empty_like(x)
        centre[(1,)](x, self.step, self.mean, out, 8, 64)
        return out
