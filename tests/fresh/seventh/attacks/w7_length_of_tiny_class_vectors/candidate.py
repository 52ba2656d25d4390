import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def score(x_ptr, classes_ptr, out_ptr, scale, rows, CLASSES: tl.constexpr, WIDTH: tl.constexpr, ROWS: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    column = tl.arange(0, WIDTH)
    kind = tl.arange(0, CLASSES)
    x = tl.load(x_ptr + row[:, None] * WIDTH + column[None, :], mask=row[:, None] < rows, other=0.0)
    vectors = tl.load(classes_ptr + kind[:, None] * WIDTH + column[None, :])
    size = tl.sqrt(tl.sum(vectors * vectors, 1))
    vectors = vectors / tl.maximum(size, 1e-6)[:, None]
    out = tl.dot(x, tl.trans(vectors), input_precision="ieee") * scale
    tl.store(out_ptr + row[:, None] * CLASSES + kind[None, :], out, mask=row[:, None] < rows)


class ModelNew(nn.Module):
    def __init__(self, width, classes, scale):
        super().__init__()
        self.classes = nn.Parameter(torch.randn(classes, width) * 0.1)
        self.scale = scale

    def forward(self, x):
        rows, width = x.shape
        classes = self.classes.shape[0]
        out = torch.empty((rows, classes), device=x.device, dtype=x.dtype)
        score[(triton.cdiv(rows, 16),)](x, self.classes, out, self.scale, rows, classes, width, 16)
        return out
