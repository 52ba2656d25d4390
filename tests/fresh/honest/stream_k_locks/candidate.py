import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def stream_k(a_ptr, b_ptr, c_ptr, M, N, K, steps_per_program, total_steps, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    tiles_n = tl.cdiv(N, BN)
    steps_per_tile = tl.cdiv(K, BK)
    step = tl.program_id(0) * steps_per_program
    last = tl.minimum(step + steps_per_program, total_steps)
    while step < last:
        tile = step // steps_per_tile
        first_k = step % steps_per_tile
        end_k = tl.minimum(steps_per_tile, first_k + (last - step))
        rm = (tile // tiles_n) * BM + tl.arange(0, BM)
        rn = (tile % tiles_n) * BN + tl.arange(0, BN)
        acc = tl.zeros((BM, BN), dtype=tl.float32)
        for k in range(first_k, end_k):
            rk = k * BK + tl.arange(0, BK)
            a = tl.load(a_ptr + rm[:, None] * K + rk[None, :], mask=(rm[:, None] < M) & (rk[None, :] < K), other=0.0)
            b = tl.load(b_ptr + rk[:, None] * N + rn[None, :], mask=(rk[:, None] < K) & (rn[None, :] < N), other=0.0)
            acc = tl.dot(a, b, acc, input_precision="ieee")
        c = c_ptr + rm[:, None] * N + rn[None, :]
        inside = (rm[:, None] < M) & (rn[None, :] < N)
        tl.atomic_add(c, acc, mask=inside, sem="relaxed")
        step += end_k - first_k


class ModelNew(nn.Module):
    def __init__(self, programs=6):
        super().__init__()
        self.programs = programs

    def forward(self, a, b):
        a = a.contiguous()
        b = b.contiguous()
        M, K = a.shape
        N = b.shape[1]
        c = torch.zeros(M, N, device=a.device, dtype=torch.float32)
        BM, BN, BK = 16, 16, 16
        total = triton.cdiv(M, BM) * triton.cdiv(N, BN) * triton.cdiv(K, BK)
        per = triton.cdiv(total, self.programs)
        stream_k[(self.programs,)](a, b, c, M, N, K, per, total, BM=BM, BN=BN, BK=BK)
        return c
