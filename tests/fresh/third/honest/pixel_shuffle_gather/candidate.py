import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def shuffle_add(x_ptr, r_ptr, y_ptr, total, C, H, W, R: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < total
    ow = i % (W * R)
    oh = i // (W * R) % (H * R)
    c = i // (W * R * H * R) % C
    n = i // (W * R * H * R * C)
    source = ((n * C + c) * R * R + (oh % R) * R + ow % R) * H * W + (oh // R) * W + ow // R
    x = tl.load(x_ptr + source, mask=mask, other=0.0)
    tl.store(y_ptr + i, x + tl.load(r_ptr + i, mask=mask, other=0.0), mask=mask)


class ModelNew(nn.Module):
    def forward(self, x, residual):
        x, residual = x.contiguous(), residual.contiguous()
        h, w = x.shape[2], x.shape[3]
        y = torch.empty_like(residual)
        total = y.numel()
        shuffle_add[(triton.cdiv(total, 128),)](x, residual, y, total, y.shape[1], h, w, R=3, BLOCK=128)
        return y
