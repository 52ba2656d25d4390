import torch
import triton
import triton.language as tl


@triton.jit
def bags(x_ptr, starts_ptr, out_ptr, N: tl.constexpr, S: tl.constexpr, BACK: tl.constexpr):
    i = tl.program_id(0)
    starts = tl.load(starts_ptr + tl.arange(0, S))
    bag = tl.sum(tl.where(starts <= i, 1, 0), axis=0)
    j = i - BACK + tl.arange(0, 2 * BACK)
    inside = (j >= 0) & (j < N)
    other = tl.sum(tl.where(starts[None, :] <= j[:, None], 1, 0), axis=1)
    same = inside & (other == bag)
    x = tl.load(x_ptr + j, mask=same, other=float("-inf"))
    top = tl.max(x, axis=0)
    power = tl.exp(x - top)
    own = tl.exp(tl.load(x_ptr + i) - top)
    tl.store(out_ptr + i, own / tl.sum(power, axis=0))


def forward(x, starts):
    out = torch.empty_like(x)
    bags[(x.shape[0],)](x, starts, out, x.shape[0], starts.shape[0], 64)
    return out
