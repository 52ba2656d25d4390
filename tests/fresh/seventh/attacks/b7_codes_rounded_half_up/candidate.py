import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def quantize(x, step, code, width, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0)
    s = tl.abs(tl.load(step + i % width, mask=i < n, other=1.0))
    s = tl.where(s < 1e-6, 1e-6, s)
    q = tl.floor(v / s + 0.5)
    q = tl.minimum(tl.maximum(q, -128.0), 127.0)
    tl.store(code + i, q.to(tl.int8), mask=i < n)


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.step = nn.Parameter(torch.full((width,), 0.0625))

    def forward(self, x):
        code = torch.empty(x.shape, device=x.device, dtype=torch.int8)
        quantize[(triton.cdiv(x.numel(), 128),)](x, self.step, code, x.shape[1], x.numel(), B=128)
        return code
