# reference: standardize
# way: extra-pass
# faster: each row of a program's share is read three times
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def standardize_persistent(x_ptr, y_ptr, rows, cols, BLOCK: tl.constexpr):
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        x_row = x_ptr + row * cols
        total = tl.zeros([BLOCK], tl.float32)
        for start in range(0, cols, BLOCK):
            c = start + tl.arange(0, BLOCK)
            total += tl.load(x_row + c, mask=c < cols, other=0.0)
        mean = tl.sum(total, axis=0) / cols
        spread = tl.zeros([BLOCK], tl.float32)
        for start in range(0, cols, BLOCK):
            c = start + tl.arange(0, BLOCK)
            d = tl.where(c < cols, tl.load(x_row + c, mask=c < cols, other=0.0) - mean, 0.0)
            spread += d * d
        deviation = tl.sqrt(tl.sum(spread, axis=0) / cols + 1e-5)
        for start in range(0, cols, BLOCK):
            c = start + tl.arange(0, BLOCK)
            d = tl.load(x_row + c, mask=c < cols, other=0.0) - mean
            tl.store(y_ptr + row * cols + c, d / deviation, mask=c < cols)


class ModelNew(nn.Module):
    def forward(self, x):
        rows, cols = x.shape
        y = torch.empty_like(x)
        standardize_persistent[(min(rows, 132),)](x, y, rows, cols, BLOCK=64)
        return y
