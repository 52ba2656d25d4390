import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def average(parts_ptr, out_ptr, width, WORKERS: tl.constexpr, BLOCK: tl.constexpr):
    column = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    worker = tl.arange(0, WORKERS)
    place = worker[:, None] * width + column[None, :]
    parts = tl.load(parts_ptr + place, mask=column[None, :] < width, other=0.0)
    tl.store(out_ptr + column, tl.sum(parts, 0) * (1.0 / WORKERS), mask=column < width)


class ModelNew(nn.Module):
    def __init__(self, workers):
        super().__init__()
        self.workers = workers

    def forward(self, parts):
        width = parts.shape[1]
        out = torch.empty((width,), device=parts.device, dtype=parts.dtype)
        average[(triton.cdiv(width, 16),)](parts, out, width, self.workers, 16)
        return out
