import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def linear_kernel(x_ptr, w_ptr, b_ptr, y_ptr, M, N, K, RELU: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for k0 in range(0, K, BK):
        k = k0 + tl.arange(0, BK)
        x = tl.load(x_ptr + m[:, None] * K + k[None, :], mask=(m[:, None] < M) & (k[None, :] < K), other=0.0)
        w = tl.load(w_ptr + n[:, None] * K + k[None, :], mask=(n[:, None] < N) & (k[None, :] < K), other=0.0)
        acc = tl.dot(x, tl.trans(w), acc, input_precision="ieee")
    acc = acc + tl.load(b_ptr + n, mask=n < N, other=0.0)[None, :]
    if RELU:
        acc = tl.maximum(acc, 0.0)
    tl.store(y_ptr + m[:, None] * N + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))


class TritonLinear(nn.Linear):
    def __init__(self, n_in, n_out, relu):
        super().__init__(n_in, n_out)
        self.relu = relu

    def forward(self, x):
        M, K = x.shape
        N = self.out_features
        y = torch.empty((M, N), device=x.device, dtype=x.dtype)
        grid = (triton.cdiv(M, 16), triton.cdiv(N, 16))
        linear_kernel[grid](x, self.weight, self.bias, y, M, N, K, RELU=self.relu, BM=16, BN=16, BK=16)
        return y


class ModelNew(nn.Module):
    def __init__(self, widths):
        super().__init__()
        last = len(widths) - 2
        self.layers = nn.ModuleList([TritonLinear(a, b, i < last) for i, (a, b) in enumerate(zip(widths[:-1], widths[1:]))])

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x
