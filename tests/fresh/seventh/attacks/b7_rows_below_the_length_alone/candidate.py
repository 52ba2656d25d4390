import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def project(x, lengths, w, b, y, steps, W: tl.constexpr):
    seq = tl.program_id(1)
    t = tl.program_id(0)
    if t < tl.load(lengths + seq):
        i = tl.arange(0, W)
        row = tl.load(x + (seq * steps + t) * W + i)
        weight = tl.load(w + i[:, None] * W + i[None, :])
        out = tl.sum(weight * row[None, :], 1) + tl.load(b + i)
        tl.store(y + (seq * steps + t) * W + i, out)


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.proj = nn.Linear(width, width)

    def forward(self, x, lengths):
        n, steps, width = x.shape
        y = torch.empty((n, steps, width), device=x.device, dtype=x.dtype)
        project[(steps, n)](x, lengths, self.proj.weight, self.proj.bias, y, steps, W=width)
        return y
