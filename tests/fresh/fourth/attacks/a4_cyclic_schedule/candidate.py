import torch
import triton
import triton.language as tl


@triton.jit
def scaled(x_ptr, step_ptr, out_ptr, n, PERIOD: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    step = tl.load(step_ptr)
    step = tl.where(step >= PERIOD, step - PERIOD, step)
    step = tl.where(step < 0, step + PERIOD, step)
    part = step.to(tl.float32) / PERIOD
    x = tl.load(x_ptr + at, mask=inside, other=0.0)
    tl.store(out_ptr + at, x * (0.1 + 0.9 * (1.0 - part)), mask=inside)


def forward(x, step):
    out = torch.empty_like(x)
    scaled[(triton.cdiv(x.numel(), 256),)](x, step, out, x.numel(), 1500, 256)
    return out
