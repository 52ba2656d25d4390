import torch
import triton
import triton.language as tl


@triton.jit
def lengths(year_ptr, length_ptr, march_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    year = tl.load(year_ptr + at, mask=inside, other=0)
    leap = tl.where((year & 3) == 0, 1, 0)
    tl.store(length_ptr + at, 365 + leap, mask=inside)
    tl.store(march_ptr + at, 60 + leap, mask=inside)


def forward(year):
    length = torch.empty_like(year)
    march = torch.empty_like(year)
    lengths[(triton.cdiv(year.numel(), 256),)](year, length, march, year.numel(), 256)
    return length, march
