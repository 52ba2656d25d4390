import torch
import torch.nn as nn
import triton
import triton.language as tl


class Model(nn.Module):
    def forward(self, x):
        return torch.cumprod(x, dim=1)


def get_inputs():
    return [torch.randn(7, 13) * 0.3 + 1]


def get_init_inputs():
    return []


@triton.jit
def times(a, b):
    return a * b


@triton.jit
def cumprod_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + c, mask=c < n, other=1.0)
    tl.store(y_ptr + row * n + c, tl.associative_scan(x, 0, times), mask=c < n)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        rows, n = x.shape
        y = torch.empty_like(x)
        cumprod_kernel[(rows,)](x, y, n, BLOCK=triton.next_power_of_2(n))
        return y
