import torch
import triton
import triton.language as tl


@triton.jit
def ages(times_ptr, out_ptr, W: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, BLOCK)
    times = tl.load(times_ptr + row * W + col, mask=col < W, other=0)
    latest = tl.max(tl.where(col < W, times.to(tl.float32), float("-inf")), axis=0)
    tl.store(out_ptr + row * W + col, latest.to(tl.int64) - times, mask=col < W)


def forward(times):
    out = torch.empty_like(times)
    ages[(times.shape[0],)](times, out, times.shape[1], 64)
    return out
