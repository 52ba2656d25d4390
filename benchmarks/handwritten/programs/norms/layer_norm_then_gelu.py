# reference: layer_norm_gelu
# way: epilogue
# faster: GELU could be applied before the norm's output is stored
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def norm_rows(x_ptr, w_ptr, b_ptr, y_ptr, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    m = c < N
    x = tl.load(x_ptr + row * N + c, mask=m, other=0.0)
    mean = tl.sum(x, 0) / N
    centred = tl.where(m, x - mean, 0.0)
    variance = tl.sum(centred * centred, 0) / N
    y = centred * tl.rsqrt(variance + eps) * tl.load(w_ptr + c, mask=m) + tl.load(b_ptr + c, mask=m)
    tl.store(y_ptr + row * N + c, y, mask=m)


@triton.jit
def gelu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(y_ptr + i, 0.5 * x * (1.0 + tl.erf(x * 0.7071067811865476)), mask=i < n)


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)

    def forward(self, x):
        rows, N = x.shape
        h = torch.empty_like(x)
        norm_rows[(rows,)](x, self.norm.weight, self.norm.bias, h, N, self.norm.eps, BLOCK=triton.next_power_of_2(N))
        y = torch.empty_like(x)
        gelu_kernel[(triton.cdiv(x.numel(), 1024),)](h, y, x.numel(), BLOCK=1024)
        return y
