import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def find_cells(x_ptr, gain_ptr, edges_ptr, out_ptr, WIDTH: tl.constexpr, EDGES: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, WIDTH)
    value = tl.load(x_ptr + row * WIDTH + column) * tl.load(gain_ptr + column)
    cell = tl.zeros((WIDTH,), tl.int64)
    for number in tl.static_range(EDGES):
        cell += (value >= tl.load(edges_ptr + number)).to(tl.int64)
    tl.store(out_ptr + row * WIDTH + column, cell)


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(width))
        self.register_buffer("edges", torch.linspace(-1.4, 1.6, 7))

    def forward(self, x):
        rows, width = x.shape
        out = torch.empty((rows, width), device=x.device, dtype=torch.int64)
        find_cells[(rows,)](x, self.gain, self.edges, out, width, self.edges.shape[0])
        return out
