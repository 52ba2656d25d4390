# reference: to_channels_last
# way: width
# faster: neighbours in a block read addresses a whole plane apart; a tile would keep both sides contiguous
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def nchw_to_nhwc(x_ptr, y_ptr, channels, pixels, BLOCK_C: tl.constexpr):
    pixel = tl.program_id(0)
    image = tl.program_id(1)
    for start in range(0, channels, BLOCK_C):
        c = start + tl.arange(0, BLOCK_C)
        v = tl.load(x_ptr + image * channels * pixels + c * pixels + pixel, mask=c < channels)
        tl.store(y_ptr + image * channels * pixels + pixel * channels + c, v, mask=c < channels)


class ModelNew(nn.Module):
    def forward(self, x):
        n, c, h, w = x.shape
        y = torch.empty((n, h, w, c), device=x.device, dtype=x.dtype)
        nchw_to_nhwc[(h * w, n)](x, y, c, h * w, BLOCK_C=64)
        return y
