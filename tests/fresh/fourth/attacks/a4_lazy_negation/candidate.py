import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def grown(x_ptr, out_ptr, sr, sc, W: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * sr + col * sc, mask=col < W, other=0.0)
    tl.store(out_ptr + row * W + col, tl.exp(x * 0.5), mask=col < W)


class ModelNew(nn.Module):
    def forward(self, x):
        out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
        grown[(x.shape[0],)](x, out, x.stride(0), x.stride(1), x.shape[1], 64)
        return out
