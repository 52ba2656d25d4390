# reference: sum_max
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def stats(x_ptr, out_ptr, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    total = tl.zeros((BLOCK_M,), dtype=tl.float32)
    top = tl.full((BLOCK_M,), float("-inf"), tl.float32)
    for start in range(0, N, BLOCK_N):
        cols = start + tl.arange(0, BLOCK_N)
        mask = (rows[:, None] < M) & (cols[None, :] < N)
        tile = tl.load(x_ptr + rows[:, None] * N + cols[None, :], mask=mask, other=0.0)
        total += tl.sum(tile, axis=1)
        top = tl.maximum(top, tl.max(tl.where(mask, tile, float("-inf")), axis=1))
    tl.store(out_ptr + rows, total, mask=rows < M)
    tl.store(out_ptr + M + rows, top, mask=rows < M)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        M, N = x.shape
        # both results live in one allocation
        both = torch.empty((2, M), device=x.device, dtype=torch.float32)
        stats[(triton.cdiv(M, 8),)](x, both, M, N, BLOCK_M=8, BLOCK_N=32)
        return both[0], both[1]
