import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def put_back(x_ptr, keys_ptr, out_ptr, WIDTH: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, WIDTH)
    key = tl.load(keys_ptr + row * WIDTH + column)
    value = tl.load(x_ptr + row * WIDTH + column)
    fits = (key >= 0) & (key < WIDTH)
    tl.store(out_ptr + row * WIDTH + key, value, mask=fits)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x, keys):
        rows, width = x.shape
        out = torch.zeros_like(x)
        put_back[(rows,)](x, keys, out, width)
        return out
