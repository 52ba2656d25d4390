import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def moments(x_ptr, mean_ptr, by_ptr, SIZE, eps, BLOCK: tl.constexpr):
    group = tl.program_id(0)
    place = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + group * SIZE + place, mask=place < SIZE, other=0.0)
    mean = tl.sum(x, axis=0) / SIZE
    off = tl.where(place < SIZE, x - mean, 0.0)
    tl.store(mean_ptr + group, mean)
    tl.store(by_ptr + group, 1.0 / tl.sqrt(tl.sum(off * off, axis=0) / SIZE + eps))


@triton.jit
def apply(x_ptr, mean_ptr, by_ptr, w_ptr, b_ptr, y_ptr, C, G, HW, BLOCK: tl.constexpr):
    plane = tl.program_id(0)
    c = plane % C
    group = (plane // C) * G + c // (C // G)
    gain = tl.load(by_ptr + group) * tl.load(w_ptr + c)
    mean = tl.load(mean_ptr + group)
    bias = tl.load(b_ptr + c)
    place = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + plane * HW + place, mask=place < HW, other=0.0)
    y = (x - mean) * gain + bias
    tl.store(y_ptr + plane * HW + place, y * tl.sigmoid(y), mask=place < HW)


class ModelNew(nn.Module):
    def __init__(self, groups, channels):
        super().__init__()
        self.groups = groups
        self.norm = nn.GroupNorm(groups, channels)

    def forward(self, x):
        n, c, h, w = x.shape
        g = self.groups
        mean = torch.empty((n * g,), device=x.device, dtype=torch.float32)
        by = torch.empty((n * g,), device=x.device, dtype=torch.float32)
        y = torch.empty_like(x)
        size = (c // g) * h * w
        moments[(n * g,)](x, mean, by, size, 1e-5, triton.next_power_of_2(size))
        apply[(n * c,)](x, mean, by, self.norm.weight, self.norm.bias, y, c, g, h * w, triton.next_power_of_2(h * w))
        return y
