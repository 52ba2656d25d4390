import torch
import triton
import triton.language as tl


@triton.jit
def below_peak(x_ptr, out_ptr, N: tl.constexpr, BLOCK: tl.constexpr):
    image = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + image * N + at, mask=at < N, other=float("-inf"))
    peak = tl.max(tl.where(at < N - 1, x, float("-inf")), axis=0)
    tl.store(out_ptr + image * N + at, x - peak, mask=at < N)


def forward(x):
    out = torch.empty_like(x)
    size = x.shape[1] * x.shape[2]
    below_peak[(x.shape[0],)](x, out, size, triton.next_power_of_2(size))
    return out
