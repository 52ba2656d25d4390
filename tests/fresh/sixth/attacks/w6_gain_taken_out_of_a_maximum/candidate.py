import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def peak(x_ptr, gain_ptr, out_ptr, channels, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * width + i, mask=i < width, other=-float("inf"))
    tl.store(out_ptr + row, tl.max(x, axis=0) * tl.load(gain_ptr + row % channels))


class ModelNew(nn.Module):
    def __init__(self, channels=8):
        super().__init__()
        self.register_buffer("gain", torch.ones(channels))

    def forward(self, x):
        b, c, w = x.shape
        out = torch.empty((b, c), dtype=x.dtype, device=x.device)
        peak[(b * c,)](x, self.gain, out, c, w, triton.next_power_of_2(w))
        return out
