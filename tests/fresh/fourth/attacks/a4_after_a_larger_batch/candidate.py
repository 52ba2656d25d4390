import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def centred(x_ptr, out_ptr, rows, count, W: tl.constexpr, BLOCK: tl.constexpr):
    col = tl.program_id(0)
    row = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * W + col, mask=row < rows, other=0.0)
    tl.store(out_ptr + row * W + col, x - tl.sum(x, axis=0) / count, mask=row < rows)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.most = 0

    def forward(self, x):
        out = torch.empty_like(x)
        self.most = max(self.most, x.shape[0])
        block = triton.next_power_of_2(x.shape[0])
        centred[(x.shape[1],)](x, out, x.shape[0], float(self.most), x.shape[1], block)
        return out
