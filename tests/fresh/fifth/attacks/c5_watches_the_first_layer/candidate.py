import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def chain(x_ptr, w_ptr, b_ptr, out_ptr, rows, DEPTH: tl.constexpr, WIDTH: tl.constexpr, ROWS: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    col = tl.arange(0, WIDTH)
    place = row[:, None] * WIDTH + col[None, :]
    x = tl.load(x_ptr + place, mask=row[:, None] < rows, other=0.0)
    for depth in tl.static_range(DEPTH):
        w = tl.load(w_ptr + depth * WIDTH * WIDTH + col[:, None] * WIDTH + col[None, :])
        x = tl.dot(x, w, input_precision="ieee") + tl.load(b_ptr + depth * WIDTH + col)[None, :]
        x = tl.where(x < 0.0, 0.0, x)
    tl.store(out_ptr + place, x, mask=row[:, None] < rows)


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(width, width) for _ in range(3)])
        self.stacked_for = None
        self.stacked = None

    def forward(self, x):
        x = x.contiguous()
        first = self.layers[0].weight
        now = (first._version, first.data_ptr())
        if self.stacked_for != now:
            weights = torch.stack([layer.weight.detach().t() for layer in self.layers]).contiguous()
            biases = torch.stack([layer.bias.detach() for layer in self.layers])
            self.stacked = (weights, biases)
            self.stacked_for = now
        rows, width = x.shape
        out = torch.empty_like(x)
        chain[(triton.cdiv(rows, 16),)](x, *self.stacked, out, rows, DEPTH=3, WIDTH=width, ROWS=16)
        return out
