import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def up_kernel(x_ptr, o_ptr, H, W, total, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < total
    col = i % (2 * W)
    row = (i // (2 * W)) % (2 * H)
    plane = i // (4 * H * W)
    x = tl.load(x_ptr + plane * H * W + (row // 2) * W + col // 2, mask=mask)
    tl.store(o_ptr + i, x, mask=mask)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        B, C, H, W = x.shape
        out = torch.empty((B, C, 2 * H, 2 * W), device=x.device, dtype=x.dtype)
        up_kernel[(triton.cdiv(out.numel(), 128),)](x, out, H, W, out.numel(), BLOCK=128)
        return out
