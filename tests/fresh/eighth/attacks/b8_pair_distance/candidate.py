import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def gaussian(p_ptr, o_ptr, n, factor, BLOCK: tl.constexpr):
    batch = tl.program_id(1)
    i = tl.program_id(0)
    j = tl.arange(0, BLOCK)
    live = j < n
    square = tl.zeros((BLOCK,), tl.float32)
    for axis in tl.static_range(3):
        a = tl.load(p_ptr + (batch * n + i) * 3 + axis)
        b = tl.load(p_ptr + (batch * n + j) * 3 + axis, mask=live, other=0.0)
        square += (a - b) * (a - b)
    tl.store(o_ptr + (batch * n + i) * n + j, tl.exp(square * factor), mask=live)


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.factor = -1.0 / (2 * width**2)
        self.plans = {}

    def plan(self, points):
        key = tuple(points.shape), points.device, points.dtype
        if key not in self.plans:
            batch, n, _ = points.shape
            out = torch.empty((batch, n, n), device=points.device, dtype=points.dtype)
            self.plans[key] = out, (n, batch), triton.next_power_of_2(n)
        return self.plans[key]

    def forward(self, points):
        out, grid, block = self.plan(points)
        gaussian[grid](points, out, points.shape[1], self.factor, BLOCK=block)
        return out
