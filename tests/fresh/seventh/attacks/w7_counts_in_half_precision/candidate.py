import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def count_class(labels_ptr, out_ptr, rows, WIDTH: tl.constexpr):
    kind = tl.program_id(0)
    place = tl.arange(0, WIDTH)
    total = tl.zeros((1,), tl.float16)
    for row in range(rows):
        label = tl.load(labels_ptr + row * WIDTH + place)
        total += tl.sum((label == kind).to(tl.float32), 0).to(tl.float16)
    tl.store(out_ptr + kind + tl.arange(0, 1), total.to(tl.int64))


class ModelNew(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.classes = classes

    def forward(self, labels):
        rows, width = labels.shape
        out = torch.empty((self.classes,), device=labels.device, dtype=torch.int64)
        count_class[(self.classes,)](labels, out, rows, width)
        return out
