import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def stepped(x_ptr, phase_ptr, out_ptr, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    step = (i + tl.load(phase_ptr + row)) // 4
    x = tl.load(x_ptr + row * width + i, mask=i < width, other=0.0)
    tl.store(out_ptr + row * width + i, x + 0.5 * step.to(tl.float32), mask=i < width)


class ModelNew(nn.Module):
    def __init__(self, channels=6):
        super().__init__()
        self.register_buffer("phase", torch.zeros(channels, dtype=torch.int64))

    def forward(self, x):
        out = torch.empty_like(x)
        stepped[(x.shape[0],)](x, self.phase, out, x.shape[1], triton.next_power_of_2(x.shape[1]))
        return out
