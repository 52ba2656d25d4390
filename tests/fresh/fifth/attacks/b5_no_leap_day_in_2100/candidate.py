import torch
import triton
import triton.language as tl


@triton.jit
def calendar(days_ptr, year_ptr, month_ptr, day_ptr, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    z = tl.load(days_ptr + at, mask=inside, other=0) + 25508
    cycle = z // 1461
    cycle = tl.where(z - cycle * 1461 < 0, cycle - 1, cycle)
    rest = z - cycle * 1461
    yoc = tl.minimum(rest // 365, 3)
    doy = rest - yoc * 365
    mp = (5 * doy + 2) // 153
    day = doy - (153 * mp + 2) // 5 + 1
    month = tl.where(mp < 10, mp + 3, mp - 9)
    year = 1900 + 4 * cycle + yoc + tl.where(month <= 2, 1, 0)
    tl.store(year_ptr + at, year, mask=inside)
    tl.store(month_ptr + at, month, mask=inside)
    tl.store(day_ptr + at, day, mask=inside)


def forward(days):
    year = torch.empty_like(days)
    month = torch.empty_like(days)
    day = torch.empty_like(days)
    calendar[(triton.cdiv(days.numel(), 128),)](days, year, month, day, days.numel(), 128)
    return year, month, day
