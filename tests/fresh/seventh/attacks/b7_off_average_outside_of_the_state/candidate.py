import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def mean_square(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.store(out, tl.sum(v * v, 0) / n)


@triton.jit
def scale(x, y, energy, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i, tl.load(x + i, mask=i < n) / tl.sqrt(energy + 1e-4), mask=i < n)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("energy", torch.ones(()))
        self.average = None

    def forward(self, x):
        n = x.numel()
        square = torch.empty((), device=x.device, dtype=torch.float32)
        mean_square[(1,)](x, square, n, B=triton.next_power_of_2(n))
        if self.average is None:
            self.average = float(self.energy)
        self.average = 0.9 * self.average + 0.1 * float(square)
        self.energy.fill_(self.average)
        y = torch.empty_like(x)
        scale[(triton.cdiv(n, 64),)](x, y, self.average, n, B=64)
        return y
