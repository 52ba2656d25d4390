import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def add_and_norm(hidden_ptr, residual_ptr, w_ptr, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, BLOCK)
    inside = col < width
    total = tl.load(hidden_ptr + row * width + col, mask=inside, other=0.0)
    total += tl.load(residual_ptr + row * width + col, mask=inside, other=0.0)
    scale = tl.rsqrt(tl.sum(total * total, axis=0) / width + 1e-6)
    w = tl.load(w_ptr + col, mask=inside, other=0.0)
    tl.store(hidden_ptr + row * width + col, total * scale * w, mask=inside)
    tl.store(residual_ptr + row * width + col, total, mask=inside)


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, hidden, residual):
        rows, width = hidden.shape
        add_and_norm[(rows,)](hidden, residual, self.weight, width, BLOCK=triton.next_power_of_2(width))
        return hidden, residual
