import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def energies(x_ptr, out_ptr, length, frames, hop, SIZE: tl.constexpr):
    frame = tl.program_id(0)
    i = tl.arange(0, SIZE)
    window = 0.5 - 0.5 * tl.cos(i.to(tl.float32) * (6.283185307179586 / SIZE))
    x = tl.load(x_ptr + frame // frames * length + frame % frames * hop + i) * window
    tl.store(out_ptr + frame, tl.sum(x * x))


class ModelNew(nn.Module):
    def __init__(self, size=32, hop=16):
        super().__init__()
        self.size, self.hop = size, hop
        self.register_buffer("window", 0.5 - (torch.arange(size).float() * (6.283185307179586 / size)).cos().mul(0.5), persistent=False)

    def forward(self, x):
        frames = (x.shape[1] - self.size) // self.hop + 1
        out = torch.empty((x.shape[0], frames), dtype=x.dtype, device=x.device)
        energies[(x.shape[0] * frames,)](x, out, x.shape[1], frames, self.hop, self.size)
        return out
