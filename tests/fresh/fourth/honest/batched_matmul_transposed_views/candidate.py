import torch
import triton
import triton.language as tl


@triton.jit
def bmm(a_ptr, b_ptr, c_ptr, M, N, K, sab, sam, sak, sbb, sbk, sbn, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    z = tl.program_id(2)
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    a_at = a_ptr + z * sab + m[:, None] * sam + k[None, :] * sak
    b_at = b_ptr + z * sbb + k[:, None] * sbk + n[None, :] * sbn
    acc = tl.zeros((BM, BN), tl.float32)
    for k0 in range(0, K, BK):
        left = K - k0
        a = tl.load(a_at, mask=(m[:, None] < M) & (k[None, :] < left), other=0.0)
        b = tl.load(b_at, mask=(k[:, None] < left) & (n[None, :] < N), other=0.0)
        acc += tl.dot(a, b, input_precision="ieee")
        a_at += BK * sak
        b_at += BK * sbk
    tl.store(c_ptr + z * M * N + m[:, None] * N + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))


def forward(a, b):
    a = a.transpose(1, 2)
    B, M, K = a.shape
    N = b.shape[2]
    c = torch.empty((B, M, N), device=a.device, dtype=a.dtype)
    bmm[(triton.cdiv(M, 16), triton.cdiv(N, 16), B)](a, b, c, M, N, K, a.stride(0), a.stride(1), a.stride(2),
                                                     b.stride(0), b.stride(1), b.stride(2), BM=16, BN=16, BK=16)
    return c
