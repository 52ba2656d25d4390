import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def train_columns(x_ptr, w_ptr, b_ptr, mean_ptr, var_ptr, count_ptr, out_ptr, rows, features, eps, momentum,
                  BLOCK: tl.constexpr):
    col = tl.program_id(0)
    row = tl.arange(0, BLOCK)
    inside = row < rows
    x = tl.load(x_ptr + row * features + col, mask=inside, other=0.0)
    mean = tl.sum(x, axis=0) / rows
    away = tl.where(inside, x - mean, 0.0)
    squares = tl.sum(away * away, axis=0)
    old_mean = tl.load(mean_ptr + col)
    old_var = tl.load(var_ptr + col)
    tl.store(mean_ptr + col, old_mean * (1.0 - momentum) + mean * momentum)
    tl.store(var_ptr + col, old_var * (1.0 - momentum) + squares / (rows - 1) * momentum)
    if col == 0:
        tl.store(count_ptr, tl.load(count_ptr) + 1)
    y = away / tl.sqrt(squares / rows + eps) * tl.load(w_ptr + col) + tl.load(b_ptr + col)
    tl.store(out_ptr + row * features + col, tl.where(y < 0.0, 0.0, y), mask=inside)


@triton.jit
def eval_rows(x_ptr, w_ptr, b_ptr, mean_ptr, var_ptr, out_ptr, features, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, BLOCK)
    inside = col < features
    x = tl.load(x_ptr + row * features + col, mask=inside, other=0.0)
    mean = tl.load(mean_ptr + col, mask=inside, other=0.0)
    var = tl.load(var_ptr + col, mask=inside, other=1.0)
    w = tl.load(w_ptr + col, mask=inside, other=0.0)
    b = tl.load(b_ptr + col, mask=inside, other=0.0)
    y = (x - mean) / tl.sqrt(var + eps) * w + b
    tl.store(out_ptr + row * features + col, tl.where(y < 0.0, 0.0, y), mask=inside)


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.bn = nn.BatchNorm1d(features)

    def forward(self, x):
        x = x.contiguous()
        rows, features = x.shape
        out = torch.empty_like(x)
        bn = self.bn
        if self.training:
            train_columns[(features,)](x, bn.weight, bn.bias, bn.running_mean, bn.running_var, bn.num_batches_tracked,
                                       out, rows, features, bn.eps, bn.momentum, BLOCK=triton.next_power_of_2(rows))
        else:
            eval_rows[(rows,)](x, bn.weight, bn.bias, bn.running_mean, bn.running_var, out, features, bn.eps,
                               BLOCK=triton.next_power_of_2(features))
        return out
