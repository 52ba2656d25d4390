import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def top_k(x_ptr, value_ptr, place_ptr, width, K: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, BLOCK)
    inside = col < width
    x = tl.load(x_ptr + row * width + col, mask=inside, other=0.0)
    x = tl.where(x == 0.0, 0.0, x)
    bits = x.to(tl.int32, bitcast=True)
    bits = tl.where(x != x, 0x7FC00000, bits)
    order = tl.where(bits < 0, bits ^ 0x7FFFFFFF, bits).to(tl.int64)
    least: tl.constexpr = -0x7FFFFFFFFFFFFFFF
    key = tl.where(inside, order * 65536 + (65535 - col), least)
    for turn in range(K):
        best = tl.max(key, axis=0)
        place = 65535 - (best & 65535)
        tl.store(value_ptr + row * K + turn, tl.load(x_ptr + row * width + place))
        tl.store(place_ptr + row * K + turn, place)
        key = tl.where(key == best, least, key)


class ModelNew(nn.Module):
    def __init__(self, k):
        super().__init__()
        self.k = k

    def forward(self, x):
        rows, width = x.shape
        values = torch.empty(rows, self.k, device=x.device, dtype=x.dtype)
        places = torch.empty(rows, self.k, device=x.device, dtype=torch.int64)
        top_k[(rows,)](x, values, places, width, K=self.k, BLOCK=triton.next_power_of_2(width))
        return values, places
