import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def reduce_rows(x_ptr, o_ptr, width, FILL: tl.constexpr, HOW: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * width + c, mask=c < width, other=FILL)
    if HOW == "sum":
        r = tl.sum(x, 0)
    elif HOW == "max":
        r = tl.max(x, 0)
    else:
        r = tl.min(x, 0)
    tl.store(o_ptr + row, r)


def make_reduction(how, neutral):
    def run(x):
        out = torch.empty((x.shape[0],), device=x.device, dtype=x.dtype)
        reduce_rows[(x.shape[0],)](x, out, x.shape[1], FILL=neutral, HOW=how, BLOCK=triton.next_power_of_2(x.shape[1]))
        return out

    return run


row_sum = make_reduction("sum", 0.0)
row_max = make_reduction("max", float("-inf"))
row_min = make_reduction("min", float("inf"))


class ModelNew(nn.Module):
    def forward(self, x):
        return row_sum(x), row_max(x), row_min(x)
