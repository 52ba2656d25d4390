import torch
import triton
import triton.language as tl


@triton.jit
def streaks(x_ptr, out_ptr, TIMES: tl.constexpr, WIDTH: tl.constexpr):
    column = tl.arange(0, WIDTH)
    before = tl.load(x_ptr + column)
    streak = tl.zeros([WIDTH], tl.float32)
    longest = streak
    for t in range(1, TIMES):
        x = tl.load(x_ptr + t * WIDTH + column)
        streak = tl.where(x > before, tl.minimum(streak + 1, 12.0), 0.0)
        longest = tl.maximum(longest, streak)
        before = x
    tl.store(out_ptr + column, longest)


def forward(x):
    out = torch.empty((16,), device=x.device, dtype=x.dtype)
    streaks[(1,)](x, out, 24, 16)
    return out
