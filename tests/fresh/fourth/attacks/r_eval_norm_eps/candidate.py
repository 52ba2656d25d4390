import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def normalize(x_ptr, mean_ptr, var_ptr, w_ptr, b_ptr, out_ptr, n, C: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    c = at % C
    x = tl.load(x_ptr + at, inside, 0.0)
    mean = tl.load(mean_ptr + c, inside, 0.0)
    var = tl.load(var_ptr + c, inside, 1.0)
    w = tl.load(w_ptr + c, inside, 0.0)
    b = tl.load(b_ptr + c, inside, 0.0)
    y = (x - mean) * (1.0 / tl.sqrt(var)) * w + b
    tl.store(out_ptr + at, tl.maximum(y, 0.0), inside)


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.bn = nn.BatchNorm1d(channels, eps=1e-6)
        self.eval()

    def forward(self, x):
        bn = self.bn
        out = torch.empty_like(x)
        grid = (triton.cdiv(x.numel(), 128),)
        normalize[grid](
            x, bn.running_mean, bn.running_var, bn.weight, bn.bias, out, x.numel(), x.shape[1], 128
        )
        return out
