import torch
import torch.nn as nn
import triton
import triton.language as tl


TYPES = {torch.float16: tl.float16, torch.bfloat16: tl.bfloat16, torch.float32: tl.float32}


@triton.jit
def two(x, y, p, d, n, PT: tl.constexpr, DT: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    a = tl.load(x + i, mask=i < n, other=0.0).to(tl.float32)
    b = tl.load(y + i, mask=i < n, other=0.0).to(tl.float32)
    tl.store(p + i, (a * b).to(PT), mask=i < n)
    tl.store(d + i, (a - b).to(DT), mask=i < n)


class ModelNew(nn.Module):
    def forward(self, x, y):
        p, d = torch.empty_like(x), torch.empty_like(y)
        two[(triton.cdiv(x.numel(), 128),)](x, y, p, d, x.numel(), PT=TYPES[x.dtype], DT=TYPES[y.dtype], B=128)
        return p, d
