import torch
import triton
import triton.language as tl


@triton.jit
def turn(x_ptr, steps_ptr, out_ptr, W: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, W)
    steps = tl.load(steps_ptr)
    place = tl.maximum((col - steps + 8 * W) % W, 0)
    tl.store(out_ptr + row * W + col, tl.load(x_ptr + row * W + place))


def forward(x, steps):
    out = torch.empty_like(x)
    turn[(x.shape[0],)](x, steps, out, x.shape[1])
    return out
