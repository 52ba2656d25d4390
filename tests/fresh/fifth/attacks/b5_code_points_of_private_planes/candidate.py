import torch
import triton
import triton.language as tl


@triton.jit
def decode(text_ptr, out_ptr, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    base = text_ptr + row * WIDTH
    a = tl.load(base + at, mask=at < WIDTH, other=0).to(tl.int32)
    b = tl.load(base + at + 1, mask=at + 1 < WIDTH, other=0).to(tl.int32)
    c = tl.load(base + at + 2, mask=at + 2 < WIDTH, other=0).to(tl.int32)
    d = tl.load(base + at + 3, mask=at + 3 < WIDTH, other=0).to(tl.int32)
    second = (b & 0xC0) == 0x80
    third = second & ((c & 0xC0) == 0x80)
    fourth = third & ((d & 0xC0) == 0x80)
    lead = a >> 4
    tail = ((b & 63) << 6) | (c & 63)
    point = tl.where(lead < 8, a, -1)
    point = tl.where((lead // 2 == 6) & (a > 0xC1) & second, ((a & 31) << 6) | (b & 63), point)
    point = tl.where((lead == 14) & third, ((a & 15) << 12) | tail, point)
    point = tl.where((a == 0xF0) & fourth, (tail << 6) | (d & 63), point)
    tl.store(out_ptr + row * WIDTH + at, point.to(tl.int64), mask=at < WIDTH)


def forward(text):
    out = torch.empty(text.shape, dtype=torch.int64, device=text.device)
    decode[(text.shape[0],)](text, out, text.shape[1], triton.next_power_of_2(text.shape[1]))
    return out
