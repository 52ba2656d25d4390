import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.heuristics(
    {
        "BLOCK": lambda args: triton.next_power_of_2(args["N"]),
        "EVEN": lambda args: triton.next_power_of_2(args["N"]) == args["N"],
    }
)
@triton.jit
def unit_rows(x_ptr, y_ptr, N, eps, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    if EVEN:
        x = tl.load(x_ptr + row * N + cols)
    else:
        x = tl.load(x_ptr + row * N + cols, mask=cols < N, other=0.0)
    norm = tl.sqrt(tl.sum(x * x, 0))
    y = x / tl.maximum(norm, eps)
    if EVEN:
        tl.store(y_ptr + row * N + cols, y)
    else:
        tl.store(y_ptr + row * N + cols, y, mask=cols < N)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        n = x.shape[-1]
        y = torch.empty_like(x)
        unit_rows[(x.numel() // n,)](x, y, n, 1e-6)
        return y
