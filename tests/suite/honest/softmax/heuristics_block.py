# reference: softmax
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.heuristics(
    {
        "BLOCK_N": lambda args: triton.next_power_of_2(args["N"]),
        "num_warps": lambda args: 4 if args["N"] < 1024 else 8,
    }
)
@triton.jit
def softmax_rows(X, Y, N, BLOCK_N: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK_N)
    mask = cols < N
    x = tl.load(X + row * N + cols, mask=mask, other=-float("inf"))
    e = tl.exp2((x - tl.max(x, 0)) * 1.4426950408889634)
    tl.store(Y + row * N + cols, e / tl.sum(e, 0), mask=mask)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        y = torch.empty_like(x)
        softmax_rows[(x.shape[0],)](x, y, x.shape[1])
        return y
