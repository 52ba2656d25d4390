import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def mlp(x_ptr, up_ptr, down_ptr, out_ptr, D: tl.constexpr, H: tl.constexpr):
    row = tl.program_id(0)
    d = tl.arange(0, D)
    h = tl.arange(0, H)
    x = tl.load(x_ptr + row * D + d).to(tl.float32)
    up = tl.load(up_ptr + h[:, None] * D + d[None, :]).to(tl.float32)
    hidden = tl.sum(up * x[None, :], axis=1).to(tl.bfloat16).to(tl.float32)
    inner = 0.7978845608028654 * (hidden + 0.044715 * hidden * hidden * hidden)
    hidden = hidden / (1.0 + tl.exp(-2.0 * inner))
    hidden = hidden.to(tl.bfloat16).to(tl.float32)
    down = tl.load(down_ptr + d[:, None] * H + h[None, :]).to(tl.float32)
    tl.store(out_ptr + row * D + d, tl.sum(down * hidden[None, :], axis=1).to(tl.bfloat16))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = nn.Parameter((torch.randn(64, 32) * 0.2).bfloat16())
        self.down = nn.Parameter((torch.randn(32, 64) * 0.2).bfloat16())

    def forward(self, x):
        out = torch.empty_like(x)
        mlp[(x.shape[0],)](x, self.up, self.down, out, x.shape[1], 64)
        return out
