import torch
import triton
import triton.language as tl


@triton.jit
def larger(a, b):
    return tl.maximum(a, b)


@triton.jit
def ages(event_ptr, out_ptr, W: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, W)
    event = tl.load(event_ptr + row * W + col)
    last = tl.associative_scan(tl.where(event != 0, col, -1), 0, larger)
    age = tl.where(last >= 0, tl.minimum(col - last, 31), -1)
    tl.store(out_ptr + row * W + col, age.to(tl.int64))


def forward(event):
    out = torch.empty(event.shape, dtype=torch.int64, device=event.device)
    ages[(event.shape[0],)](event, out, event.shape[1])
    return out
