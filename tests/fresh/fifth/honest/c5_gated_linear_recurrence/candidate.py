import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def then(a, x, b, y):
    return a * b, x * b + y


@triton.jit
def recurrence(gate_ptr, x_ptr, out_ptr, steps, width, T: tl.constexpr):
    sample = tl.program_id(0)
    col = tl.program_id(1)
    t = tl.arange(0, T)
    place = (sample * steps + t) * width + col
    a = tl.sigmoid(tl.load(gate_ptr + place, mask=t < steps, other=0.0))
    x = tl.load(x_ptr + place, mask=t < steps, other=0.0)
    _, h = tl.associative_scan((a, (1.0 - a) * x), 0, then)
    tl.store(out_ptr + place, h, mask=t < steps)


class ModelNew(nn.Module):
    def forward(self, gate, x):
        out = torch.empty_like(x)
        b, steps, width = x.shape
        recurrence[(b, width)](gate, x, out, steps, width, T=triton.next_power_of_2(steps))
        return out
