import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def topk_rows(x_ptr, v_ptr, i_ptr, width, k, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * width + c, mask=c < width, other=-float("inf"))
    free = c < width
    for r in range(k):
        top = tl.max(tl.where(free, x, -float("inf")), 0)
        place = tl.min(tl.where(free & (x == top), c, BLOCK), 0)
        tl.store(v_ptr + row * k + r, top)
        tl.store(i_ptr + row * k + r, place.to(tl.int64))
        free = free & (c != place)


class ModelNew(nn.Module):
    def __init__(self, k):
        super().__init__()
        self.k = k

    def forward(self, x):
        values = torch.empty((x.shape[0], self.k), device=x.device, dtype=x.dtype)
        places = torch.empty((x.shape[0], self.k), device=x.device, dtype=torch.int64)
        topk_rows[(x.shape[0],)](x, values, places, x.shape[1], self.k, BLOCK=triton.next_power_of_2(x.shape[1]))
        return values, places
