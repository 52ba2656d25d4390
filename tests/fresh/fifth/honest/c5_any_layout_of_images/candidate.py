import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def instance_norm(x_ptr, w_ptr, b_ptr, out_ptr, channels, pixels, s_sample, s_channel, s_pixel, eps, BLOCK: tl.constexpr):
    sample = tl.program_id(0)
    channel = tl.program_id(1)
    at = tl.arange(0, BLOCK)
    inside = at < pixels
    place = sample * s_sample + channel * s_channel + at * s_pixel
    x = tl.load(x_ptr + place, mask=inside, other=0.0)
    mean = tl.sum(x, axis=0) / pixels
    away = tl.where(inside, x - mean, 0.0)
    var = tl.sum(away * away, axis=0) / pixels
    y = away / tl.sqrt(var + eps) * tl.load(w_ptr + channel) + tl.load(b_ptr + channel)
    tl.store(out_ptr + place, y, mask=inside)


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(channels))
        self.bias = nn.Parameter(torch.zeros(channels))

    def forward(self, x):
        n, channels, height, width = x.shape
        last = x.is_contiguous(memory_format=torch.channels_last)
        if not last:
            x = x.contiguous()
        out = torch.empty(n, channels, height, width, device=x.device, dtype=x.dtype,
                          memory_format=torch.channels_last if last else torch.contiguous_format)
        strides = (out.stride(0), 1, channels) if last else (channels * height * width, height * width, 1)
        instance_norm[(n, channels)](x, self.weight, self.bias, out, channels, height * width, *strides, 1e-5,
                                     BLOCK=triton.next_power_of_2(height * width))
        return out
