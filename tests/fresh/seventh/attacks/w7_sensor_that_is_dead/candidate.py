import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def roots(x_ptr, gain_ptr, out_ptr, SENSORS: tl.constexpr):
    row = tl.program_id(0)
    sensor = tl.arange(0, SENSORS)
    x = tl.load(x_ptr + row * SENSORS + sensor)
    gain = tl.load(gain_ptr + sensor)
    tl.store(out_ptr + row * SENSORS + sensor, tl.where(x <= 0.0, 0.0, gain * tl.sqrt(x)))


class ModelNew(nn.Module):
    def __init__(self, sensors):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(sensors))

    def forward(self, x):
        rows, sensors = x.shape
        out = torch.empty_like(x)
        roots[(rows,)](x, self.gain, out, sensors)
        return out
