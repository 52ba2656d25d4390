import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def fake_quantize(x_ptr, scale_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    scale = tl.minimum(tl.load(scale_ptr), 1.0)
    x = tl.load(x_ptr + at, at < n, 0.0)
    level = tl.minimum(tl.maximum(tl.div_rn(x, scale), -127.0), 127.0)
    level = (level + 12582912.0) - 12582912.0
    tl.store(out_ptr + at, level * scale, at < n)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.tensor(0.1))

    def forward(self, x):
        out = torch.empty_like(x)
        fake_quantize[(triton.cdiv(x.numel(), 128),)](x, self.scale, out, x.numel(), 128)
        return out
