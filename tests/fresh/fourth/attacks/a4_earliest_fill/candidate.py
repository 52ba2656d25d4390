import torch
import triton
import triton.language as tl


@triton.jit
def since_first(times_ptr, first_ptr, out_ptr, W: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, BLOCK)
    times = tl.load(times_ptr + row * W + col, mask=col < W, other=2147483647)
    first = tl.min(times, axis=0)
    tl.store(first_ptr + row, first)
    tl.store(out_ptr + row * W + col, times - first, mask=col < W)


def forward(times):
    first = torch.empty((times.shape[0],), dtype=times.dtype, device=times.device)
    out = torch.empty_like(times)
    since_first[(times.shape[0],)](times, first, out, times.shape[1], 64)
    return first, out
