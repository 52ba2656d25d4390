import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def log_softmax(x_ptr, t_ptr, out_ptr, WIDTH: tl.constexpr):
    at = tl.program_id(0) * WIDTH + tl.arange(0, WIDTH)
    t = tl.load(t_ptr)
    t = tl.where(t > 0.0, tl.maximum(t, 0.2), t)
    x = tl.load(x_ptr + at) / t
    x = x - tl.max(x, axis=0)
    tl.store(out_ptr + at, x - tl.log(tl.sum(tl.exp(x), axis=0)))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.temperature = nn.Parameter(torch.ones(()))

    def forward(self, x):
        out = torch.empty_like(x)
        log_softmax[(x.shape[0],)](x, self.temperature, out, x.shape[1])
        return out
