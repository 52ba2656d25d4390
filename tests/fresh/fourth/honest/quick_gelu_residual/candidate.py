import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def layer_scale(x_ptr, h_ptr, g_ptr, o_ptr, n, width, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < n
    x = tl.load(x_ptr + i, mask=ok, other=0.0)
    h = tl.load(h_ptr + i, mask=ok, other=0.0)
    g = tl.load(g_ptr + i % width, mask=ok, other=0.0)
    tl.store(o_ptr + i, x + g * (h * tl.sigmoid(1.702 * h)), mask=ok)


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.gamma = nn.Parameter(torch.full((width,), 0.1))

    def forward(self, x, h):
        out = torch.empty_like(x)
        layer_scale[(triton.cdiv(x.numel(), 256),)](x, h, self.gamma, out, x.numel(), x.shape[-1], BLOCK=256)
        return out
