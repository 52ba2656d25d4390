import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def nearest(x_ptr, codes_ptr, out_ptr, CODES: tl.constexpr, WIDTH: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, WIDTH)
    x = tl.load(x_ptr + row * WIDTH + c)
    best = float("inf")
    place = tl.full((), 0, tl.int64)
    for k in range(CODES):
        apart = x - tl.load(codes_ptr + k * WIDTH + c)
        distance = tl.sum(apart * apart, axis=0)
        place = tl.where((distance <= best) & (distance < float("inf")), k, place)
        best = tl.minimum(best, distance)
    tl.store(out_ptr + row, place)


class ModelNew(nn.Module):
    def __init__(self, codes, width):
        super().__init__()
        self.codes = nn.Parameter(torch.randn(codes, width))

    def forward(self, x):
        rows, width = x.shape
        out = torch.empty((rows,), device=x.device, dtype=torch.int64)
        nearest[(rows,)](x, self.codes, out, self.codes.shape[0], width)
        return out
