import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def train_kernel(
    x_ptr, gain_ptr, shift_ptr, mean_ptr, var_ptr, seen_ptr, out_ptr,
    momentum, eps, ROWS: tl.constexpr, CHANNELS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    channel = tl.program_id(0)
    row = tl.arange(0, BLOCK)
    real = row < ROWS
    x = tl.load(x_ptr + row * CHANNELS + channel, mask=real, other=0.0)
    mean = tl.sum(x, 0) / ROWS
    apart = tl.where(real, x - mean, 0.0)
    var = tl.sum(apart * apart, 0) / ROWS
    y = apart * (1.0 / tl.sqrt(var + eps)) * tl.load(gain_ptr + channel) + tl.load(shift_ptr + channel)
    tl.store(out_ptr + row * CHANNELS + channel, y * tl.abs(y), mask=real)
    old_mean = tl.load(mean_ptr + channel)
    old_var = tl.load(var_ptr + channel)
    tl.store(mean_ptr + channel, old_mean * (1.0 - momentum) + mean * momentum)
    tl.store(var_ptr + channel, old_var * (1.0 - momentum) + var * (ROWS / (ROWS - 1)) * momentum)
    if channel == 0:
        tl.store(seen_ptr, tl.load(seen_ptr) + 1)


@triton.jit
def eval_kernel(
    x_ptr, gain_ptr, shift_ptr, mean_ptr, var_ptr, out_ptr, count, CHANNELS: tl.constexpr, BLOCK: tl.constexpr
):
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    channel = place % CHANNELS
    x = tl.load(x_ptr + place, mask=place < count, other=0.0)
    scale = tl.load(gain_ptr + channel) / tl.sqrt(tl.load(var_ptr + channel))
    y = (x - tl.load(mean_ptr + channel)) * scale + tl.load(shift_ptr + channel)
    tl.store(out_ptr + place, y * tl.abs(y), mask=place < count)


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.norm = nn.BatchNorm1d(channels, eps=1e-6)

    def forward(self, x):
        rows, channels = x.shape
        out = torch.empty_like(x)
        gain, shift, mean, var = self.norm.weight, self.norm.bias, self.norm.running_mean, self.norm.running_var
        if self.training:
            train_kernel[(channels,)](
                x, gain, shift, mean, var, self.norm.num_batches_tracked, out, 0.1, 1e-6, rows, channels,
                triton.next_power_of_2(rows),
            )  # fmt: skip
        else:
            count = rows * channels
            eval_kernel[(triton.cdiv(count, 64),)](x, gain, shift, mean, var, out, count, channels, 64)
        return out
