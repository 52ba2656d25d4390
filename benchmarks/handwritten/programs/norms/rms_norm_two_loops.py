# reference: rms_norm
# way: extra-pass
# faster: the row is read for its mean square and again for the output
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def rms_norm_two_loops(x_ptr, w_ptr, y_ptr, width, eps, BLOCK: tl.constexpr):
    base = tl.program_id(0) * width
    lanes = tl.arange(0, BLOCK)
    squares = tl.zeros((BLOCK,), tl.float32)
    for i in range(0, width, BLOCK):
        v = tl.load(x_ptr + base + i + lanes, mask=i + lanes < width, other=0.0)
        squares += v * v
    inverse = tl.rsqrt(tl.sum(squares) / width + eps)
    for i in range(0, width, BLOCK):
        inside = i + lanes < width
        v = tl.load(x_ptr + base + i + lanes, mask=inside, other=0.0)
        w = tl.load(w_ptr + i + lanes, mask=inside, other=0.0)
        tl.store(y_ptr + base + i + lanes, v * inverse * w, mask=inside)


class ModelNew(nn.Module):
    def __init__(self, width, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.eps = eps

    def forward(self, x):
        y = torch.empty_like(x)
        rms_norm_two_loops[(x.shape[0],)](x, self.weight, y, x.shape[1], self.eps, BLOCK=128)
        return y
