import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def train_step(x_ptr, w_ptr, b_ptr, mean_ptr, var_ptr, count_ptr, y_ptr, eps, momentum, N, C, BLOCK: tl.constexpr):
    c = tl.program_id(0)
    n = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + n * C + c, mask=n < N, other=0.0)
    mean = tl.sum(x, axis=0) / N
    off = tl.where(n < N, x - mean, 0.0)
    squares = tl.sum(off * off, axis=0)
    y = off / tl.sqrt(squares / N + eps) * tl.load(w_ptr + c) + tl.load(b_ptr + c)
    tl.store(y_ptr + n * C + c, tl.maximum(y, 0.0), mask=n < N)
    tl.store(mean_ptr + c, (1.0 - momentum) * tl.load(mean_ptr + c) + momentum * mean)
    tl.store(var_ptr + c, (1.0 - momentum) * tl.load(var_ptr + c) + momentum * (squares / (N - 1)))
    if c == 0:
        tl.store(count_ptr, tl.load(count_ptr) + 1)


@triton.jit
def use_statistics(x_ptr, w_ptr, b_ptr, mean_ptr, var_ptr, y_ptr, eps, N, C, BLOCK: tl.constexpr):
    c = tl.program_id(0)
    n = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + n * C + c, mask=n < N, other=0.0)
    by = tl.load(w_ptr + c) / tl.sqrt(tl.load(var_ptr + c) + eps)
    y = (x - tl.load(mean_ptr + c)) * by + tl.load(b_ptr + c)
    tl.store(y_ptr + n * C + c, tl.maximum(y, 0.0), mask=n < N)


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.BatchNorm1d(width)

    def trained(self, x, y, block):
        norm, (n, c) = self.norm, x.shape
        train_step[(c,)](
            x, norm.weight, norm.bias, norm.running_mean, norm.running_var, norm.num_batches_tracked, y, norm.eps,
            norm.momentum, n, c, block
        )

    def evaluated(self, x, y, block):
        norm, (n, c) = self.norm, x.shape
        use_statistics[(c,)](
            x, norm.weight, norm.bias, norm.running_mean, norm.running_var, y, norm.eps, n, c, block
        )

    def forward(self, x):
        y = torch.empty_like(x)
        run = self.trained if self.training else self.evaluated
        run(x, y, triton.next_power_of_2(x.shape[0]))
        return y
