import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def frozen_norm(x_ptr, mean_ptr, var_ptr, w_ptr, b_ptr, out_ptr, channels, pixels, BLOCK: tl.constexpr):
    plane = tl.program_id(0)
    channel = plane % channels
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + plane * pixels + at, mask=at < pixels, other=0.0)
    var = tl.maximum(tl.load(var_ptr + channel), 1e-3)
    scale = tl.load(w_ptr + channel) * tl.rsqrt(var + 1e-8)
    out = x * scale + (tl.load(b_ptr + channel) - tl.load(mean_ptr + channel) * scale)
    tl.store(out_ptr + plane * pixels + at, out, mask=at < pixels)


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.register_buffer("mean", torch.zeros(channels))
        self.register_buffer("var", torch.ones(channels))
        self.weight = nn.Parameter(torch.ones(channels))
        self.bias = nn.Parameter(torch.zeros(channels))

    def forward(self, x):
        x = x.contiguous()
        n, channels, height, width = x.shape
        out = torch.empty_like(x)
        frozen_norm[(n * channels,)](x, self.mean, self.var, self.weight, self.bias, out, channels, height * width,
                                     BLOCK=triton.next_power_of_2(height * width))
        return out
