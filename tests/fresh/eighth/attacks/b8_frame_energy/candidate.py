import math
import torch
import torch.nn as nn
import triton
import triton.language as tl

TWO_PI = tl.constexpr(2.0 * math.pi)


@triton.jit
def energy(signal, out, length, frames, hop, SIZE: tl.constexpr, BLOCK: tl.constexpr):
    frame = tl.program_id(0)
    row = tl.program_id(1)
    i = tl.arange(0, BLOCK)
    mask = i < SIZE
    s = tl.load(signal + row * length + frame * hop + i, mask=mask, other=0.0)
    window = 0.5 - 0.5 * tl.cos(i.to(tl.float32) * TWO_PI / SIZE)
    s = s * window
    tl.store(out + row * frames + frame, tl.log(tl.sum(s * s, axis=0) + 1e-6))


class ModelNew(nn.Module):
    def __init__(self, size, hop):
        super().__init__()
        self.size = size
        self.hop = hop
        self.register_buffer("window", torch.hann_window(size))

    def forward(self, signal):
        rows, length = signal.shape
        frames = (length - self.size) // self.hop + 1
        out = torch.empty((rows, frames), device=signal.device, dtype=signal.dtype)
        energy[(frames, rows)](signal, out, length, frames, self.hop, SIZE=self.size, BLOCK=triton.next_power_of_2(self.size))
        return out
