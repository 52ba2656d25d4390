import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.heuristics({
    "BLOCK": lambda args: triton.next_power_of_2(args["width"]),
    "EVEN": lambda args: args["width"] == triton.next_power_of_2(args["width"]),
    "num_warps": lambda args: 4 if args["width"] <= 2048 else 8,
})
@triton.jit
def softmax_rows(x_ptr, y_ptr, width, temperature, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    if EVEN:
        x = tl.load(x_ptr + row * width + c)
    else:
        x = tl.load(x_ptr + row * width + c, mask=c < width, other=-float("inf"))
    x = x * temperature
    e = tl.exp(x - tl.max(x, 0))
    y = e / tl.sum(e, 0)
    if EVEN:
        tl.store(y_ptr + row * width + c, y)
    else:
        tl.store(y_ptr + row * width + c, y, mask=c < width)


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        softmax_rows[(x.shape[0],)](x, y, x.shape[1], 0.3)
        return y
