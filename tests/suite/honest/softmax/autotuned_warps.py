# reference: softmax
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.autotune(
    configs=[
        triton.Config({}, num_warps=1),
        triton.Config({}, num_warps=2),
        triton.Config({}, num_warps=4),
        triton.Config({}, num_warps=8),
    ],
    key=["N"],
)
@triton.jit
def softmax_fwd(X, Y, stride, N, BLOCK_N: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK_N)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=float("-inf")).to(tl.float32)
    z = x - tl.max(x, axis=0)
    num = tl.exp(z)
    tl.store(Y + row * stride + cols, num / tl.sum(num, axis=0), mask=cols < N)


class ModelNew(nn.Module):
    def __init__(self):
        super(ModelNew, self).__init__()

    def forward(self, x):
        assert x.dim() == 2
        x = x.contiguous()
        M, N = x.shape
        y = torch.empty_like(x)
        softmax_fwd[(M,)](x, y, x.stride(0), N, BLOCK_N=triton.next_power_of_2(N))
        return y
