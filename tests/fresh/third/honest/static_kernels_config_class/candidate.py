from dataclasses import dataclass

import torch
import torch.nn as nn
import triton
import triton.language as tl


@dataclass(frozen=True)
class Options:
    block: int = 32
    warps: int = 2


@triton.jit
def row_max(x_ptr, v_ptr, i_ptr, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    best = tl.full((BLOCK,), -float("inf"), tl.float32)
    place = cols
    for start in range(0, N, BLOCK):
        c = start + cols
        x = tl.load(x_ptr + row * N + c, mask=c < N, other=-float("inf"))
        better = x > best
        best = tl.where(better, x, best)
        place = tl.where(better, c, place)
    top = tl.max(best, 0)
    at = tl.min(tl.where(best == top, place, N), 0)
    tl.store(v_ptr + row, top)
    tl.store(i_ptr + row, at.to(tl.int64))


class ModelNew(nn.Module):
    def __init__(self, options=Options()):
        super().__init__()
        self.options = options

    @staticmethod
    def launch(x, values, places, options):
        rows, n = x.shape
        row_max[(rows,)](x, values, places, n, BLOCK=options.block, num_warps=options.warps)

    def forward(self, x):
        x = x.contiguous()
        values = x.new_empty(x.shape[0])
        places = torch.empty(x.shape[0], dtype=torch.long, device=x.device)
        self.launch(x, values, places, self.options)
        return values, places
