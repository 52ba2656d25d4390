import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def to_bytes(x_ptr, q_ptr, scale_ptr, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    place = tl.arange(0, BLOCK)
    inside = place < WIDTH
    x = tl.load(x_ptr + row * WIDTH + place, mask=inside, other=0.0)
    scale = tl.maximum(tl.max(tl.abs(x), axis=0), 1e-8) / 127
    q = x / scale
    q = tl.where(q < 0, tl.ceil(q - 0.5), tl.floor(q + 0.5))
    tl.store(q_ptr + row * WIDTH + place, q.to(tl.int8), mask=inside)
    tl.store(scale_ptr + row, scale)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        rows, width = x.shape
        q = torch.empty((rows, width), dtype=torch.int8, device=x.device)
        scale = torch.empty((rows,), dtype=x.dtype, device=x.device)
        to_bytes[(rows,)](x, q, scale, width, triton.next_power_of_2(width))
        return q, scale
