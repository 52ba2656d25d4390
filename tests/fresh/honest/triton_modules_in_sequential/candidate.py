import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def ln_kernel(x_ptr, w_ptr, b_ptr, y_ptr, D, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    ok = c < D
    x = tl.load(x_ptr + row * D + c, mask=ok, other=0.0)
    mean = tl.sum(x, 0) / D
    d = tl.where(ok, x - mean, 0.0)
    rstd = 1.0 / tl.sqrt(tl.sum(d * d, 0) / D + eps)
    w = tl.load(w_ptr + c, mask=ok, other=0.0)
    b = tl.load(b_ptr + c, mask=ok, other=0.0)
    tl.store(y_ptr + row * D + c, d * rstd * w + b, mask=ok)


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + i, tl.maximum(tl.load(x_ptr + i, mask=i < n, other=0.0), 0.0), mask=i < n)


class TritonLayerNorm(nn.Module):
    def __init__(self, d, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d))
        self.bias = nn.Parameter(torch.zeros(d))
        self.eps = eps

    def forward(self, x):
        x = x.contiguous()
        D = x.shape[-1]
        y = torch.empty_like(x)
        ln_kernel[(x.numel() // D,)](x, self.weight, self.bias, y, D, self.eps, BLOCK=triton.next_power_of_2(D))
        return y


class TritonReLU(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        relu_kernel[(triton.cdiv(x.numel(), 128),)](x, y, x.numel(), BLOCK=128)
        return y


class ModelNew(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.net = nn.Sequential(TritonLayerNorm(d), TritonReLU(), TritonLayerNorm(d))

    def forward(self, x):
        return self.net(x)
