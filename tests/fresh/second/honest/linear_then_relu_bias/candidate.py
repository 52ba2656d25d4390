import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def bias_relu_kernel(x_ptr, b_ptr, o_ptr, N, total, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < total
    y = tl.load(x_ptr + i, mask=mask, other=0.0) + tl.load(b_ptr + i % N, mask=mask, other=0.0)
    tl.store(o_ptr + i, tl.where(y < 0.0, 0.0, y), mask=mask)


class ModelNew(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(width, hidden) * 0.1)
        self.bias = nn.Parameter(torch.randn(hidden) * 0.1)

    def forward(self, x):
        y = torch.matmul(x, self.weight).contiguous()
        out = torch.empty_like(y)
        N = y.shape[1]
        bias_relu_kernel[(triton.cdiv(y.numel(), 64),)](y, self.bias, out, N, y.numel(), BLOCK=64)
        return out
