import torch
import triton
import triton.language as tl


@triton.jit
def streamk(a_ptr, b_ptr, c_ptr, M, N, K, tiles_n, steps, total, per_program, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    at = tl.program_id(0) * per_program
    end = tl.minimum(at + per_program, total)
    while at < end:
        tile = at // steps
        step = at % steps
        here = tl.minimum(steps - step, end - at)
        m = tile // tiles_n * BM + tl.arange(0, BM)
        n = tile % tiles_n * BN + tl.arange(0, BN)
        acc = tl.zeros((BM, BN), tl.float32)
        for s in range(step, step + here):
            k = s * BK + tl.arange(0, BK)
            a = tl.load(a_ptr + m[:, None] * K + k[None, :], mask=(m[:, None] < M) & (k[None, :] < K), other=0.0)
            b = tl.load(b_ptr + k[:, None] * N + n[None, :], mask=(k[:, None] < K) & (n[None, :] < N), other=0.0)
            acc += tl.dot(a, b, input_precision="ieee")
        tl.atomic_add(c_ptr + m[:, None] * N + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))
        at += here


def forward(a, b):
    M, K = a.shape
    N = b.shape[1]
    BM, BN, BK = 16, 16, 16
    c = torch.zeros((M, N), device=a.device, dtype=torch.float32)
    tiles_n = triton.cdiv(N, BN)
    steps = triton.cdiv(K, BK)
    total = triton.cdiv(M, BM) * tiles_n * steps
    programs = 5
    streamk[(programs,)](a, b, c, M, N, K, tiles_n, steps, total, triton.cdiv(total, programs), BM=BM, BN=BN, BK=BK)
    return c
