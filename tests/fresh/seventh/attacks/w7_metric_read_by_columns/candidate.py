import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def apply_metric(x_ptr, metric_ptr, out_ptr, rows, WIDTH: tl.constexpr, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    inner = tl.arange(0, BLOCK)
    column = tl.arange(0, BLOCK)
    x = tl.load(
        x_ptr + row[:, None] * WIDTH + inner[None, :], mask=(row[:, None] < rows) & (inner[None, :] < WIDTH), other=0.0
    )
    # each output's coefficients lie in one row: neighbouring threads read neighbouring numbers
    metric = tl.load(
        metric_ptr + column[None, :] * WIDTH + inner[:, None],
        mask=(column[None, :] < WIDTH) & (inner[:, None] < WIDTH),
        other=0.0,
    )
    out = tl.dot(x, metric, input_precision="ieee")
    tl.store(
        out_ptr + row[:, None] * WIDTH + column[None, :], out, mask=(row[:, None] < rows) & (column[None, :] < WIDTH)
    )


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        base = torch.randn(width, width) * 0.2
        self.register_buffer("metric", base + base.t() + torch.eye(width))

    def forward(self, x):
        rows, width = x.shape
        out = torch.empty_like(x)
        apply_metric[(triton.cdiv(rows, 16),)](x, self.metric, out, rows, width, triton.next_power_of_2(width), 16)
        return out
