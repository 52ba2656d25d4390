import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def project(p, w, b, y, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for k0 in range(0, K, BK):
        k = k0 + tl.arange(0, BK)
        a = tl.load(p + i[:, None] * K + k[None, :], mask=(i[:, None] < M) & (k[None, :] < K), other=0.0)
        c = tl.load(w + j[None, :] * K + k[:, None], mask=(j[None, :] < N) & (k[:, None] < K), other=0.0)
        acc = tl.dot(a, c, acc, input_precision="ieee")
    acc += tl.load(b + j, mask=j < N, other=0.0)[None, :]
    tl.store(y + i[:, None] * N + j[None, :], acc, mask=(i[:, None] < M) & (j[None, :] < N))


class ModelNew(nn.Module):
    def __init__(self, a, b, size):
        super().__init__()
        self.conv = nn.Conv2d(a, b, size, stride=size)

    def forward(self, x):
        size = self.conv.kernel_size[0]
        patches = torch.nn.functional.unfold(x, size, stride=size).transpose(1, 2).contiguous()
        n, t, k = patches.shape
        w = self.conv.weight.flatten(1)
        y = x.new_empty(n, t, w.shape[0])
        grid = (triton.cdiv(n * t, 16), triton.cdiv(w.shape[0], 16))
        project[grid](patches, w, self.conv.bias, y, n * t, w.shape[0], k, BM=16, BN=16, BK=16)
        return y
