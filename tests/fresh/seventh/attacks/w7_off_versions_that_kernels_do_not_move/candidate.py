import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def observe_kernel(x_ptr, centre_ptr, spread_ptr, share, ROWS: tl.constexpr, WIDTH: tl.constexpr):
    column = tl.program_id(0)
    x = tl.load(x_ptr + tl.arange(0, ROWS) * WIDTH + column)
    mean = tl.sum(x, 0) / ROWS
    far = tl.sum(tl.abs(x - mean), 0) / ROWS
    old = tl.load(centre_ptr + column)
    tl.store(centre_ptr + column, old * (1.0 - share) + mean * share)
    old = tl.load(spread_ptr + column)
    tl.store(spread_ptr + column, old * (1.0 - share) + far * share)


@triton.jit
def divisor_kernel(spread_ptr, divisor_ptr, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
    column = tl.arange(0, BLOCK)
    spread = tl.load(spread_ptr + column, mask=column < WIDTH, other=1.0)
    tl.store(divisor_ptr + column, tl.abs(spread) + 0.01, mask=column < WIDTH)


@triton.jit
def standardize_kernel(x_ptr, centre_ptr, divisor_ptr, out_ptr, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
    row, column = tl.program_id(0), tl.arange(0, BLOCK)
    real = column < WIDTH
    x = tl.load(x_ptr + row * WIDTH + column, mask=real, other=0.0)
    centre = tl.load(centre_ptr + column, mask=real, other=0.0)
    divisor = tl.load(divisor_ptr + column, mask=real, other=1.0)
    tl.store(out_ptr + row * WIDTH + column, (x - centre) / divisor, mask=real)


class ModelNew(nn.Module):
    def __init__(self, width, share):
        super().__init__()
        self.share = share
        self.register_buffer("centre", torch.zeros(width))
        self.register_buffer("spread", torch.ones(width))
        self.divisor, self.made_of = None, None

    def divided_by(self, block):
        divisor = torch.empty_like(self.spread)
        divisor_kernel[(1,)](self.spread, divisor, self.spread.shape[0], block)
        return divisor

    def forward(self, x):
        rows, width = x.shape
        block, out = triton.next_power_of_2(width), torch.empty_like(x)
        if self.training:
            observe_kernel[(width,)](x, self.centre, self.spread, self.share, rows, width)
            divisor = self.divided_by(block)
        else:
            key = (self.spread._version, self.spread.data_ptr())
            if self.divisor is None or self.made_of != key:
                self.divisor, self.made_of = self.divided_by(block), key
            divisor = self.divisor
        standardize_kernel[(rows,)](x, self.centre, divisor, out, width, block)
        return out
