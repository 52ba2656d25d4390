import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def log_softmax(x, inside):
    x = tl.where(inside, x, -float("inf"))
    x = x - tl.max(x, axis=0)
    return x - tl.log(tl.sum(tl.exp(x), axis=0))


@triton.jit
def divergence(s_ptr, t_ptr, out_ptr, width, temperature, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, BLOCK)
    inside = col < width
    s = log_softmax(tl.load(s_ptr + row * width + col, mask=inside, other=0.0) / temperature, inside)
    t = log_softmax(tl.load(t_ptr + row * width + col, mask=inside, other=0.0) / temperature, inside)
    part = tl.where(inside, tl.exp(t) * (t - s), 0.0)
    tl.store(out_ptr + row, tl.sum(part, axis=0) * temperature * temperature)


class ModelNew(nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature

    def forward(self, student, teacher):
        rows, width = student.shape
        out = torch.empty(rows, device=student.device, dtype=student.dtype)
        divergence[(rows,)](student, teacher, out, width, self.temperature, BLOCK=triton.next_power_of_2(width))
        return out
