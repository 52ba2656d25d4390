import torch
import triton
import triton.language as tl


@triton.jit
def mute(x_ptr, alarm_ptr, out_ptr, W: tl.constexpr, A: tl.constexpr, BW: tl.constexpr, BA: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, BW)
    sensor = tl.arange(0, BA) + 1
    alarm = tl.load(alarm_ptr + row * A + sensor, mask=sensor < A, other=0)
    quiet = tl.max(alarm.to(tl.int32), axis=0) == 0
    x = tl.load(x_ptr + row * W + col, mask=col < W, other=0.0)
    tl.store(out_ptr + row * W + col, tl.where(quiet, x, 0.0), mask=col < W)


def forward(x, alarm):
    out = torch.empty_like(x)
    mute[(x.shape[0],)](x, alarm, out, x.shape[1], alarm.shape[1], 128, 64)
    return out
