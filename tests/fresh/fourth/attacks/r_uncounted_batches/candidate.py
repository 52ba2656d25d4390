import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def train_norm(x_ptr, w_ptr, b_ptr, mean_ptr, var_ptr, out_ptr, ROWS: tl.constexpr, C: tl.constexpr):
    c = tl.program_id(0)
    at = tl.arange(0, ROWS) * C + c
    x = tl.load(x_ptr + at)
    mean = tl.sum(x, axis=0) / ROWS
    apart = x - mean
    variance = tl.sum(apart * apart, axis=0) / ROWS
    y = apart / tl.sqrt(variance + 1e-5) * tl.load(w_ptr + c) + tl.load(b_ptr + c)
    tl.store(out_ptr + at, y)
    tl.store(mean_ptr + c, 0.9 * tl.load(mean_ptr + c) + 0.1 * mean)
    tl.store(var_ptr + c, 0.9 * tl.load(var_ptr + c) + 0.1 * variance * (ROWS / (ROWS - 1)))


@triton.jit
def eval_norm(x_ptr, w_ptr, b_ptr, mean_ptr, var_ptr, out_ptr, ROWS: tl.constexpr, C: tl.constexpr):
    c = tl.program_id(0)
    at = tl.arange(0, ROWS) * C + c
    apart = tl.load(x_ptr + at) - tl.load(mean_ptr + c)
    scale = tl.load(w_ptr + c) / tl.sqrt(tl.load(var_ptr + c) + 1e-5)
    tl.store(out_ptr + at, apart * scale + tl.load(b_ptr + c))


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.bn = nn.BatchNorm1d(channels)

    def forward(self, x):
        bn, out = self.bn, torch.empty_like(x)
        kernel = train_norm if bn.training else eval_norm
        rows, channels = x.shape
        kernel[(channels,)](x, bn.weight, bn.bias, bn.running_mean, bn.running_var, out, rows, channels)
        return out
