import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def middle_of(x, inside, COUNT: tl.constexpr, ROUNDS: tl.constexpr):
    """The lower median by bisection between the least and the largest finite element."""
    wanted = (COUNT + 1) // 2
    finite = inside & (tl.abs(x) < float("inf"))
    low = tl.min(tl.where(finite, x, float("inf")))
    high = tl.max(tl.where(finite, x, -float("inf")))
    largest = high
    for _ in range(ROUNDS):
        mid = low * 0.5 + high * 0.5
        enough = tl.sum(tl.where(inside & (x <= mid), 1, 0)) >= wanted
        high = tl.where(enough, mid, high)
        low = tl.where(enough, low, mid)
    found = tl.max(tl.where(inside & (x <= high), x, -float("inf")))
    some = tl.sum(tl.where(inside & (x <= largest), 1, 0)) >= wanted
    return tl.where(some, found, float("inf"))


@triton.jit
def medians(x_ptr, middle_ptr, spread_ptr, COUNT: tl.constexpr, BLOCK: tl.constexpr, ROUNDS: tl.constexpr):
    row = tl.program_id(0)
    place = tl.arange(0, BLOCK)
    inside = place < COUNT
    x = tl.load(x_ptr + row * COUNT + place, mask=inside, other=0.0)
    middle = middle_of(x, inside, COUNT, ROUNDS)
    tl.store(middle_ptr + row, middle)
    tl.store(spread_ptr + row, middle_of(tl.abs(x - middle), inside, COUNT, ROUNDS))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        rows, count = x.shape
        middle = torch.empty((rows,), dtype=x.dtype, device=x.device)
        spread = torch.empty((rows,), dtype=x.dtype, device=x.device)
        medians[(rows,)](x, middle, spread, count, triton.next_power_of_2(count), 52)
        return middle, spread
