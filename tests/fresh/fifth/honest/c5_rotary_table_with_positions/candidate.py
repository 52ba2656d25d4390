import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def rotate(x_ptr, place_ptr, cos_ptr, sin_ptr, out_ptr, heads, longest, HALF: tl.constexpr):
    token = tl.program_id(0)
    head = tl.program_id(1)
    place = tl.load(place_ptr + token)
    place = tl.where(place < 0, place + longest, place)
    half = tl.arange(0, HALF)
    cos = tl.load(cos_ptr + place * HALF + half)
    sin = tl.load(sin_ptr + place * HALF + half)
    base = (token * heads + head) * 2 * HALF
    even = tl.load(x_ptr + base + 2 * half)
    odd = tl.load(x_ptr + base + 2 * half + 1)
    both = tl.interleave(even * cos - odd * sin, even * sin + odd * cos)
    tl.store(out_ptr + base + tl.arange(0, 2 * HALF), both)


class ModelNew(nn.Module):
    def __init__(self, width, longest):
        super().__init__()
        angles = torch.outer(torch.arange(longest).float(), 10000.0 ** (-torch.arange(0, width, 2) / width))
        self.register_buffer("cos", angles.cos())
        self.register_buffer("sin", angles.sin())

    def forward(self, x, positions):
        tokens, heads, width = x.shape
        out = torch.empty(x.shape, device=x.device, dtype=x.dtype)
        rotate[(tokens, heads)](x, positions, self.cos, self.sin, out, heads, self.cos.shape[0], HALF=width // 2)
        return out
