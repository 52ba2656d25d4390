import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def fc_kernel(x_ptr, w_ptr, b_ptr, y_ptr, M, N, K, HAS_BIAS: tl.constexpr, RELU: tl.constexpr,
              BM: tl.constexpr = 16, BN: tl.constexpr = 16, BK: tl.constexpr = 16):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in tl.range(0, K, BK, num_stages=2):
        rk = k + tl.arange(0, BK)
        x = tl.load(x_ptr + rm[:, None] * K + rk[None, :], mask=(rm[:, None] < M) & (rk[None, :] < K), other=0.0)
        w = tl.load(w_ptr + rn[:, None] * K + rk[None, :], mask=(rn[:, None] < N) & (rk[None, :] < K), other=0.0)
        acc += tl.dot(x, w.T, input_precision="ieee")
    if HAS_BIAS:
        acc += tl.load(b_ptr + rn, mask=rn < N, other=0.0)[None, :]
    if RELU:
        acc = tl.where(acc > 0, acc, 0.0)
    tl.store(y_ptr + rm[:, None] * N + rn[None, :], acc, mask=(rm[:, None] < M) & (rn[None, :] < N))


def fc(x, weight, bias=None, relu=False):
    M, K = x.shape
    N = weight.shape[0]
    y = torch.empty((M, N), device=x.device, dtype=x.dtype)
    fc_kernel[(triton.cdiv(M, 16), triton.cdiv(N, 16))](x, weight, bias, y, M, N, K, HAS_BIAS=bias is not None, RELU=relu)
    return y


class ModelNew(nn.Module):
    def __init__(self, a, b):
        super().__init__()
        self.one = nn.Linear(a, b, bias=False)
        self.two = nn.Linear(b, a)

    def forward(self, x):
        return fc(fc(x, self.one.weight, relu=True), self.two.weight, self.two.bias)
