import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def norm_kernel(
    x_ptr, mean_ptr, var_ptr, out_ptr, momentum, eps,
    ROWS: tl.constexpr, CHANNELS: tl.constexpr, TRAINS: tl.constexpr,
):  # fmt: skip
    c, row = tl.program_id(0), tl.arange(0, ROWS)
    x = tl.load(x_ptr + row * CHANNELS + c)
    old_mean = tl.load(mean_ptr + c)
    old_var = tl.load(var_ptr + c)
    if TRAINS:
        mean = tl.sum(x, 0) / ROWS
        apart = x - mean
        var = tl.sum(apart * apart, 0) / ROWS
        tl.store(mean_ptr + c, old_mean * (1.0 - momentum) + mean * momentum)
        tl.store(var_ptr + c, old_var * (1.0 - momentum) + var * (ROWS / (ROWS - 1)) * momentum)
    else:
        apart = x - old_mean
        var = old_var
    tl.store(out_ptr + row * CHANNELS + c, apart * (1.0 / tl.sqrt(var + eps)))


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.norm = nn.BatchNorm1d(channels, affine=False)

    def forward(self, x):
        rows, channels = x.shape
        out, norm = torch.empty_like(x), self.norm
        norm_kernel[(channels,)](
            x, norm.running_mean, norm.running_var, out, 0.1, 1e-5, rows, channels, self.training
        )
        return out
