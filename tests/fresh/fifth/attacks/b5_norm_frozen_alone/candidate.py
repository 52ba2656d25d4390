import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def batch_norm(
    x_ptr, weight_ptr, bias_ptr, mean_ptr, var_ptr, seen_ptr, out_ptr, rows, channels,
    TRAINING: tl.constexpr, BLOCK: tl.constexpr,
):
    c = tl.program_id(0)
    r = tl.arange(0, BLOCK)
    inside = r < rows
    x = tl.load(x_ptr + r * channels + c, mask=inside, other=0.0)
    mean = tl.load(mean_ptr + c)
    var = tl.load(var_ptr + c)
    if TRAINING:
        new = tl.sum(x, axis=0) / rows
        rest = tl.where(inside, x - new, 0.0)
        square = tl.sum(rest * rest, axis=0)
        tl.debug_barrier()
        tl.store(mean_ptr + c, mean * 0.9 + new * 0.1)
        tl.store(var_ptr + c, var * 0.9 + square / (rows - 1) * 0.1)
        mean = new
        var = square / rows
        if c == 0:
            seen = tl.load(seen_ptr)
            tl.debug_barrier()
            tl.store(seen_ptr, seen + 1)
    y = (x - mean) * tl.rsqrt(var + 1e-5) * tl.load(weight_ptr + c) + tl.load(bias_ptr + c)
    tl.store(out_ptr + r * channels + c, tl.maximum(y, 0.0), mask=inside)


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.norm = nn.BatchNorm1d(channels)

    def forward(self, x):
        out = torch.empty_like(x)
        norm = self.norm
        batch_norm[(x.shape[1],)](
            x, norm.weight, norm.bias, norm.running_mean, norm.running_var, norm.num_batches_tracked, out,
            x.shape[0], x.shape[1], self.training, triton.next_power_of_2(x.shape[0]),
        )
        return out
