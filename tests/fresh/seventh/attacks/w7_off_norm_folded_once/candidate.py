import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def fold_kernel(gain_ptr, shift_ptr, mean_ptr, var_ptr, folded_ptr, eps, CHANNELS: tl.constexpr):
    c = tl.arange(0, CHANNELS)
    scale = tl.load(gain_ptr + c) / tl.sqrt(tl.load(var_ptr + c) + eps)
    tl.store(folded_ptr + c, scale)
    tl.store(folded_ptr + CHANNELS + c, tl.load(shift_ptr + c) - tl.load(mean_ptr + c) * scale)


@triton.jit
def eval_kernel(x_ptr, folded_ptr, out_ptr, count, CHANNELS: tl.constexpr, BLOCK: tl.constexpr):
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    c = place % CHANNELS
    x = tl.load(x_ptr + place, mask=place < count, other=0.0)
    y = x * tl.load(folded_ptr + c) + tl.load(folded_ptr + CHANNELS + c)
    tl.store(out_ptr + place, tl.maximum(y, 0.0), mask=place < count)


@triton.jit
def train_kernel(
    x_ptr, gain_ptr, shift_ptr, mean_ptr, var_ptr, seen_ptr, out_ptr,
    momentum, eps, ROWS: tl.constexpr, CHANNELS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    c = tl.program_id(0)
    row = tl.arange(0, BLOCK)
    real = row < ROWS
    x = tl.load(x_ptr + row * CHANNELS + c, mask=real, other=0.0)
    mean = tl.sum(x, 0) / ROWS
    apart = tl.where(real, x - mean, 0.0)
    var = tl.sum(apart * apart, 0) / ROWS
    y = apart * (1.0 / tl.sqrt(var + eps)) * tl.load(gain_ptr + c) + tl.load(shift_ptr + c)
    tl.store(out_ptr + row * CHANNELS + c, tl.maximum(y, 0.0), mask=real)
    old_mean = tl.load(mean_ptr + c)
    old_var = tl.load(var_ptr + c)
    tl.store(mean_ptr + c, old_mean * (1.0 - momentum) + mean * momentum)
    tl.store(var_ptr + c, old_var * (1.0 - momentum) + var * (ROWS / (ROWS - 1)) * momentum)
    if c == 0:
        tl.store(seen_ptr, tl.load(seen_ptr) + 1)


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.norm = nn.BatchNorm1d(channels)
        self.folded = None

    def forward(self, x):
        rows, channels = x.shape
        norm, out = self.norm, torch.empty_like(x)
        state = (norm.weight, norm.bias, norm.running_mean, norm.running_var)
        if self.training:
            self.folded = None  # the statistics change here
            train_kernel[(channels,)](
                x, *state, norm.num_batches_tracked, out, 0.1, 1e-5, rows, channels, triton.next_power_of_2(rows)
            )
            return out
        if self.folded is None:
            folded = torch.empty(2 * channels, device=x.device, dtype=torch.float32)
            fold_kernel[(1,)](*state, folded, 1e-5, channels)
            self.folded = folded
        count = rows * channels
        eval_kernel[(triton.cdiv(count, 64),)](x, self.folded, out, count, channels, 64)
        return out
