import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def train_kernel(tokens_ptr, table_ptr, out_ptr, COUNT: tl.constexpr, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
    place = tl.arange(0, BLOCK)
    column = tl.program_id(0)
    token = tl.load(tokens_ptr + place, mask=place < COUNT, other=-1)
    rows = tl.load(table_ptr + token * WIDTH + column, mask=token >= 0, other=0.0)
    centre = tl.sum(rows, 0) / COUNT
    tl.store(out_ptr + place * WIDTH + column, rows - centre, mask=place < COUNT)


@triton.jit
def eval_kernel(tokens_ptr, table_ptr, centre_ptr, out_ptr, WIDTH: tl.constexpr):
    place = tl.program_id(0)
    column = tl.arange(0, WIDTH)
    token = tl.maximum(tl.load(tokens_ptr + place), 0)
    row = tl.load(table_ptr + token * WIDTH + column)
    tl.store(out_ptr + place * WIDTH + column, row - tl.load(centre_ptr + column))


class ModelNew(nn.Module):
    def __init__(self, tokens, width):
        super().__init__()
        self.table = nn.Parameter(torch.randn(tokens, width))
        self.register_buffer("centre", torch.zeros(width))

    def forward(self, tokens):
        rows, length = tokens.shape
        width = self.table.shape[1]
        count = rows * length
        out = torch.empty((rows, length, width), device=tokens.device, dtype=torch.float32)
        if self.training:
            train_kernel[(width,)](tokens, self.table, out, count, width, triton.next_power_of_2(count))
        else:
            eval_kernel[(count,)](tokens, self.table, self.centre, out, width)
        return out
