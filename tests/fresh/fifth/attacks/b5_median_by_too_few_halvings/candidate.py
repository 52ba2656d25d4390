import torch
import triton
import triton.language as tl


@triton.jit
def centre(x_ptr, out_ptr, WIDTH: tl.constexpr, BLOCK: tl.constexpr, STEPS: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < WIDTH
    x = tl.load(x_ptr + row * WIDTH + at, mask=inside, other=0.0)
    need = (WIDTH + 1) // 2
    finite = inside & (tl.abs(x) < float("inf"))
    low = tl.min(tl.where(finite, x, 3.0e38), axis=0)
    high = tl.max(tl.where(finite, x, -3.0e38), axis=0)
    enough = tl.sum((inside & (x <= low)).to(tl.int32), axis=0) >= need
    high = tl.where(enough, low, high)
    most = high
    for _ in range(STEPS):
        middle = low * 0.5 + high * 0.5
        below = tl.sum((inside & (x <= middle)).to(tl.int32), axis=0) >= need
        high = tl.where(below, middle, high)
        low = tl.where(below, low, middle)
    median = tl.max(tl.where(finite & (x <= high), x, -3.0e38), axis=0)
    minus = tl.sum((inside & (x == float("-inf"))).to(tl.int32), axis=0) >= need
    plus = tl.sum((inside & (x == float("inf"))).to(tl.int32), axis=0) > WIDTH - need
    median = tl.where(minus, float("-inf"), tl.where(plus, float("inf"), median))
    tl.store(out_ptr + row * WIDTH + at, x - median, mask=inside)


def forward(x):
    out = torch.empty_like(x)
    centre[(x.shape[0],)](x, out, x.shape[1], triton.next_power_of_2(x.shape[1]), 32)
    return out
