import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def trained(x_ptr, w_ptr, b_ptr, mean_ptr, var_ptr, out_ptr, eps, momentum, N: tl.constexpr, C: tl.constexpr,
            BLOCK: tl.constexpr):
    c = tl.program_id(0)
    n = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + n * C + c, mask=n < N, other=0.0)
    mean = tl.sum(x, axis=0) / N
    off = tl.where(n < N, x - mean, 0.0)
    squares = tl.sum(off * off, axis=0)
    y = off / tl.sqrt(squares / N + eps) * tl.load(w_ptr + c) + tl.load(b_ptr + c)
    tl.store(out_ptr + n * C + c, tl.where(y > 0, y, 0.1 * y), mask=n < N)
    tl.store(mean_ptr + c, (1 - momentum) * tl.load(mean_ptr + c) + momentum * mean)
    tl.store(var_ptr + c, (1 - momentum) * tl.load(var_ptr + c) + momentum * squares / (N - 1))


@triton.jit
def folded(x_ptr, scale_ptr, shift_ptr, out_ptr, SIZE, C: tl.constexpr, BLOCK: tl.constexpr):
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + place, mask=place < SIZE, other=0.0)
    y = x * tl.load(scale_ptr + place % C) + tl.load(shift_ptr + place % C)
    tl.store(out_ptr + place, tl.where(y > 0, y, 0.1 * y), mask=place < SIZE)


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.BatchNorm1d(width)
        self.prepared = None

    def scale_and_shift(self):
        norm = self.norm
        held = (norm.weight, norm.bias, norm.running_mean, norm.running_var)
        key = [(one.data_ptr(), one._version) for one in held]
        if self.prepared is None or self.prepared[0] != key:
            scale = norm.weight.detach() / torch.sqrt(norm.running_var + norm.eps)
            self.prepared = (key, scale, norm.bias.detach() - norm.running_mean * scale)
        return self.prepared[1:]

    def forward(self, x):
        rows, width = x.shape
        norm = self.norm
        out = torch.empty_like(x)
        if self.training:
            norm.num_batches_tracked.add_(1)
            trained[(width,)](
                x, norm.weight, norm.bias, norm.running_mean, norm.running_var, out, norm.eps, norm.momentum, rows,
                width, triton.next_power_of_2(rows)
            )
            return out
        scale, shift = self.scale_and_shift()
        folded[(triton.cdiv(x.numel(), 256),)](x, scale, shift, out, x.numel(), width, 256)
        return out
