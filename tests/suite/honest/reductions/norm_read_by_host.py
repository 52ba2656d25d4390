# reference: frobenius
# dialect: refused
import torch
import torch.nn as nn
import triton
import triton.language as tl

@triton.jit
def ss(x, s, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.atomic_add(s, tl.sum(v * v))

@triton.jit
def div(x, y, inv, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i, tl.load(x + i, mask=i < n) * inv, mask=i < n)

class ModelNew(nn.Module):
    def forward(self, x):
        s = torch.zeros(1, device=x.device, dtype=torch.float32)
        n = x.numel()
        ss[(triton.cdiv(n, 256),)](x, s, n, B=256)
        norm = s.item() ** 0.5
        y = torch.empty_like(x)
        div[(triton.cdiv(n, 256),)](x, y, 1.0 / norm, n, B=256)
        return y
