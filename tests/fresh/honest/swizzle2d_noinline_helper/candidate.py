import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit(noinline=True)
def first_of(tile, size):
    return tile * size


@triton.jit(do_not_specialize=["M", "N"])
def swizzled(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    pm, pn = tl.swizzle2d(tl.program_id(0), tl.program_id(1), tl.num_programs(0), tl.num_programs(1), GROUP)
    m = first_of(pm, BM) + tl.arange(0, BM)
    n = first_of(pn, BN) + tl.arange(0, BN)
    acc = tl.zeros([BM, BN], tl.float32)
    for k0 in range(0, K, BK):
        k = k0 + tl.arange(0, BK)
        a = tl.load(a_ptr + m[:, None] * K + k[None, :], mask=(m[:, None] < M) & (k[None, :] < K), other=0.0)
        b = tl.load(b_ptr + k[:, None] * N + n[None, :], mask=(k[:, None] < K) & (n[None, :] < N), other=0.0)
        acc = tl.dot(a, b, acc, input_precision="ieee")
    tl.store(c_ptr + m[:, None] * N + n[None, :], tl.maximum(acc + 0.25, 0.0), mask=(m[:, None] < M) & (n[None, :] < N))


class ModelNew(nn.Module):
    def forward(self, a, b):
        M, K = a.shape
        N = b.shape[1]
        c = torch.empty((M, N), dtype=a.dtype, device=a.device)
        swizzled[(triton.cdiv(M, 16), triton.cdiv(N, 16))](a.contiguous(), b.contiguous(), c, M, N, K, BM=16, BN=16, BK=16, GROUP=2)
        return c
