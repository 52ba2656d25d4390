import torch
import triton
import triton.language as tl


@triton.autotune(
    configs=[
        triton.Config({"EPS": 1e-6}, num_warps=1),
        triton.Config({"EPS": 1e-6}, num_warps=2),
        triton.Config({"EPS": 1e-6}, num_warps=4),
        triton.Config({"EPS": 1e-6}, num_warps=8),
        triton.Config({"EPS": 0.0}, num_warps=16),
    ],
    key=["width"],
)
@triton.jit
def kernel(x_ptr, out_ptr, width, BLOCK: tl.constexpr, EPS: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * width + column, column < width, 0.0)
    tl.store(out_ptr + row * width + column, x / (tl.sum(tl.abs(x)) + EPS), column < width)


def forward(x):
    out = torch.empty_like(x)
    kernel[(x.shape[0],)](x, out, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return out
