import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def cosine(x_ptr, w_ptr, out_ptr, CLASSES: tl.constexpr, WIDTH: tl.constexpr):
    row = tl.program_id(0)
    one = tl.program_id(1)
    c = tl.arange(0, WIDTH)
    w = tl.load(w_ptr + one * WIDTH + c)
    w = w / tl.sqrt(tl.sum(w * w, axis=0) + 1e-9)
    dot = tl.sum(tl.load(x_ptr + row * WIDTH + c) * w, axis=0)
    tl.store(out_ptr + row * CLASSES + one, dot)


class ModelNew(nn.Module):
    def __init__(self, width, classes):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(classes, width))

    def forward(self, x):
        rows, width = x.shape
        classes = self.weight.shape[0]
        out = torch.empty((rows, classes), device=x.device, dtype=x.dtype)
        cosine[(rows, classes)](x, self.weight, out, classes, width)
        return out
