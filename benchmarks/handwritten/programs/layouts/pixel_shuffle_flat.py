# reference: pixel_shuffle
# way: index-math
# faster: each element takes its place apart by six divisions
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def shuffle_kernel(x_ptr, y_ptr, total, C, H, W, R: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < total
    ow = i % (W * R)
    oh = (i // (W * R)) % (H * R)
    c = (i // (W * R * H * R)) % C
    n = i // (W * R * H * R * C)
    channel = c * R * R + (oh % R) * R + ow % R
    source = ((n * C * R * R + channel) * H + oh // R) * W + ow // R
    tl.store(y_ptr + i, tl.load(x_ptr + source, mask=mask), mask=mask)


class ModelNew(nn.Module):
    def forward(self, x):
        n, c, h, w = x.shape
        y = torch.empty((n, c // 4, 2 * h, 2 * w), device=x.device, dtype=x.dtype)
        shuffle_kernel[(triton.cdiv(y.numel(), 256),)](x, y, y.numel(), c // 4, h, w, R=2, BLOCK=256)
        return y
