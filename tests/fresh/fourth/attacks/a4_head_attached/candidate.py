import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def spread(x_ptr, out_ptr, count, W: tl.constexpr):
    row = tl.program_id(0)
    x = tl.load(x_ptr + row * W + tl.arange(0, W))
    x = x - tl.sum(x, axis=0) / W
    tl.store(out_ptr + row, tl.sum(x * x, axis=0) / count)


class ModelNew(nn.Module):
    def forward(self, x):
        out = torch.empty((x.shape[0],), dtype=x.dtype, device=x.device)
        count = x.shape[1] - 1 + len(list(self.children()))
        spread[(x.shape[0],)](x, out, float(count), x.shape[1])
        return out
