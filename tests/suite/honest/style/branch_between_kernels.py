# reference: transpose
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def transpose_tile(x_ptr, y_ptr, M, N, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    j = tl.program_id(1) * B + tl.arange(0, B)
    t = tl.load(x_ptr + i[:, None] * N + j[None, :], mask=(i[:, None] < M) & (j[None, :] < N))
    tl.store(y_ptr + j[None, :] * M + i[:, None], t, mask=(i[:, None] < M) & (j[None, :] < N))


@triton.jit
def transpose_row(x_ptr, y_ptr, M, N, B: tl.constexpr):
    row = tl.program_id(0)
    j = tl.arange(0, B)
    tl.store(y_ptr + j * M + row, tl.load(x_ptr + row * N + j, mask=j < N), mask=j < N)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        x = x if x.is_contiguous() else x.contiguous()
        M, N = x.shape
        y = torch.empty_strided((N, M), (M, 1), device=x.device, dtype=x.dtype)
        if N <= 1024:
            transpose_row[(M,)](x, y, M, N, B=triton.next_power_of_2(N))
        else:
            transpose_tile[(triton.cdiv(M, 32), triton.cdiv(N, 32))](x, y, M, N, B=32)
        return y
