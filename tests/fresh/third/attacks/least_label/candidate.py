import torch
from torch import nn
import triton
import triton.language as tl


@triton.jit
def flood(open_ptr, out_ptr, ROUNDS: tl.constexpr):
    base = tl.program_id(0) * 64
    cell = tl.arange(0, 64)
    row = cell // 8
    column = cell % 8
    is_open = tl.load(open_ptr + base + cell) != 0
    near = tl.abs(row[:, None] - row[None, :]) + tl.abs(column[:, None] - column[None, :]) < 2
    label = tl.where(is_open, cell, 64)
    for _ in range(ROUNDS):
        least = tl.min(tl.where(near, label[None, :], 64), 1)
        label = tl.where(is_open, least, 64)
    tl.store(out_ptr + base + cell, label.to(tl.int64))


def forward(open_cell):
    out = torch.empty(open_cell.shape, device=open_cell.device, dtype=torch.int64)
    flood[(4,)](open_cell, out, 20)
    return out
