import torch
from torch import nn
import triton
import triton.language as tl


@triton.jit
def warp(a_ptr, b_ptr, out_ptr, N: tl.constexpr, BAND: tl.constexpr):
    row = tl.program_id(0)
    j = tl.arange(0, N)
    b = tl.load(b_ptr + row * N + j)
    last = tl.where(j < 0, 0.0, float("inf"))
    for i in range(N):
        cost = tl.abs(tl.load(a_ptr + row * N + i) - b) + 0.5
        cost = tl.where(tl.abs(i - j) <= BAND, cost, float("inf"))
        before = tl.min(tl.where(j[:, None] + 1 == j[None, :], last[:, None], float("inf")), 0)
        start = tl.where(j == 0, tl.where(i == 0, 0.0, float("inf")), float("inf"))
        enter = cost + tl.minimum(tl.minimum(before, start), last)
        done = tl.cumsum(tl.where(tl.abs(i - j) <= BAND, cost, 0.0), 0)
        ways = tl.where(j[:, None] <= j[None, :], enter[:, None] + done[None, :] - done[:, None], float("inf"))
        now = tl.where(tl.abs(i - j) <= BAND, tl.min(ways, 0), float("inf"))
        last = now
    tl.store(out_ptr + row, tl.sum(tl.where(j == N - 1, last, 0.0)))


def forward(a, b):
    out = torch.empty((4,), device=a.device, dtype=a.dtype)
    warp[(4,)](a, b, out, 16, 11)
    return out
