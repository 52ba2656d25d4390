import torch
import torch.nn as nn
import torch.nn.functional as F
import triton
import triton.language as tl


@triton.jit
def bias_gelu(y_ptr, b_ptr, out_ptr, count, width, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    y = tl.load(y_ptr + at, mask=inside, other=0.0).to(tl.float32)
    y += tl.load(b_ptr + at % width, mask=inside, other=0.0).to(tl.float32)
    y = 0.5 * y * (1.0 + tl.erf(y * 0.7071067811865476))
    tl.store(out_ptr + at, y.to(out_ptr.dtype.element_ty), mask=inside)


class ModelNew(nn.Module):
    def __init__(self, inner, outer):
        super().__init__()
        self.fc = nn.Linear(inner, outer)

    def forward(self, x):
        y = F.linear(x, self.fc.weight).contiguous()
        out = torch.empty_like(y)
        bias_gelu[(triton.cdiv(y.numel(), 256),)](y, self.fc.bias, out, y.numel(), y.shape[-1], BLOCK=256)
        return out
