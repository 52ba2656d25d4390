import torch
import triton
import triton.language as tl


@triton.jit
def crossings(x_ptr, out_ptr, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < WIDTH - 1
    one = tl.load(x_ptr + row * WIDTH + at, mask=inside, other=0.0)
    other = tl.load(x_ptr + row * WIDTH + at + 1, mask=inside, other=0.0)
    tl.store(out_ptr + row, tl.sum((one * other < 0).to(tl.int64), axis=0))


def forward(x):
    out = torch.empty((x.shape[0],), dtype=torch.int64, device=x.device)
    crossings[(x.shape[0],)](x, out, x.shape[1], triton.next_power_of_2(x.shape[1]))
    return out
