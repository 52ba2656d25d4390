import torch
import triton
import triton.language as tl


@triton.jit
def logic(m_ptr, any_ptr, all_ptr, sum_ptr, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    m = tl.load(m_ptr + row * width + c, mask=c < width, other=0).to(tl.int32)
    n = tl.sum(m, 0)
    tl.store(any_ptr + row, n > 0)
    tl.store(all_ptr + row, n == width)
    tl.store(sum_ptr + row, n.to(tl.int64))


def forward(m):
    rows, width = m.shape
    some = torch.empty((rows,), device=m.device, dtype=torch.bool)
    every = torch.empty((rows,), device=m.device, dtype=torch.bool)
    count = torch.empty((rows,), device=m.device, dtype=torch.int64)
    logic[(rows,)](m, some, every, count, width, BLOCK=triton.next_power_of_2(width))
    return some, every, count
