import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def edit_distance(a_ptr, b_ptr, o_ptr, N, M, BLOCK: tl.constexpr):
    p = tl.program_id(0)
    j = tl.arange(0, BLOCK)
    b = tl.load(b_ptr + p * M + j - 1, mask=(j >= 1) & (j <= M), other=0)
    row = j
    for i in range(N):
        a = tl.load(a_ptr + p * N + i)
        shifted = tl.gather(row, tl.maximum(j - 1, 0), 0)
        cost = (a != b).to(tl.int32)
        best = tl.where(j == 0, i + 1, tl.minimum(row + 1, shifted + cost))
        best = tl.where(j <= M, best, 1 << 20)
        diff = best - j
        run = tl.associative_scan(diff, 0, least)
        row = run + j
    tl.store(o_ptr + p, tl.sum(tl.where(j == M, row, 0), 0))


@triton.jit
def least(x, y):
    return tl.minimum(x, y)


class ModelNew(nn.Module):
    def forward(self, a, b):
        P, N = a.shape
        M = b.shape[1]
        out = torch.empty(P, dtype=torch.int32, device=a.device)
        edit_distance[(P,)](a.contiguous(), b.contiguous(), out, N, M, BLOCK=triton.next_power_of_2(M + 1))
        return out
