import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def deposit(cell, charge, grid, cells, n, C: tl.constexpr, B: tl.constexpr):
    c = tl.arange(0, C)
    tl.store(grid + c, tl.zeros((C,), tl.float32), mask=c < cells)
    tl.debug_barrier()
    for start in range(0, n, B):
        i = start + tl.arange(0, B)
        at = tl.load(cell + i, mask=i < n, other=0)
        q = tl.load(charge + i, mask=i < n, other=0.0)
        old = tl.load(grid + at, mask=i < n, other=0.0)
        tl.store(grid + at, old + q, mask=i < n)
        tl.debug_barrier()
    g = tl.load(grid + c, mask=c < cells, other=0.0)
    mean = tl.sum(g, 0) / cells
    tl.debug_barrier()
    tl.store(grid + c, g - mean, mask=c < cells)


class ModelNew(nn.Module):
    def __init__(self, cells):
        super().__init__()
        self.cells = cells

    def forward(self, cell, charge):
        grid = torch.empty((self.cells,), device=cell.device, dtype=charge.dtype)
        deposit[(1,)](cell, charge, grid, self.cells, cell.numel(), C=triton.next_power_of_2(self.cells), B=32)
        return grid
