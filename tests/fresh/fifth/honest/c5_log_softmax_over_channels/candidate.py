import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def log_softmax(x_ptr, out_ptr, channels, pixels, CHANNELS: tl.constexpr, PIXELS: tl.constexpr):
    sample = tl.program_id(1)
    pixel = tl.program_id(0) * PIXELS + tl.arange(0, PIXELS)
    channel = tl.arange(0, CHANNELS)
    place = (sample * channels + channel[:, None]) * pixels + pixel[None, :]
    inside = (channel[:, None] < channels) & (pixel[None, :] < pixels)
    x = tl.load(x_ptr + place, mask=inside, other=0.0)
    x = tl.where(channel[:, None] < channels, x, -float("inf"))
    x = x - tl.max(x, axis=0)[None, :]
    out = x - tl.log(tl.sum(tl.exp(x), axis=0))[None, :]
    tl.store(out_ptr + place, out, mask=inside)


class ModelNew(nn.Module):
    def forward(self, x):
        n, channels, height, width = x.shape
        out = torch.empty_like(x)
        pixels = height * width
        log_softmax[(triton.cdiv(pixels, 16), n)](x, out, channels, pixels, CHANNELS=triton.next_power_of_2(channels), PIXELS=16)
        return out
