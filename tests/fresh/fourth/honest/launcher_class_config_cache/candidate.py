import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _l2_kernel(x_ptr, y_ptr, width, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * width + c, mask=c < width, other=0.0)
    big = tl.maximum(tl.max(tl.abs(x), 0), 1e-30)
    u = x / big
    norm = tl.sqrt(tl.sum(u * u, 0)) * big
    tl.store(y_ptr + row * width + c, x / (norm + eps), mask=c < width)


class RowNorm:
    def __init__(self, eps):
        self.eps = eps
        self.blocks = {}

    def block(self, width):
        if width not in self.blocks:
            self.blocks[width] = triton.next_power_of_2(width)
        return self.blocks[width]

    def __call__(self, x):
        width = x.shape[-1]
        flat = x.contiguous().view(-1, width)
        out = torch.empty_like(flat)
        _l2_kernel[(flat.shape[0],)](flat, out, width, self.eps, BLOCK=self.block(width))
        return out.view(x.shape)


class ModelNew(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.op = RowNorm(p)

    def forward(self, x):
        return self.op(x)
