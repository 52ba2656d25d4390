import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def middle(begins_ptr, ends_ptr, out_ptr, count, BLOCK: tl.constexpr):
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    begin = tl.load(begins_ptr + place, mask=place < count, other=0)
    end = tl.load(ends_ptr + place, mask=place < count, other=0)
    tl.store(out_ptr + place, (begin + end) >> 1, mask=place < count)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, begins, ends):
        out = torch.empty_like(begins)
        count = begins.numel()
        middle[(triton.cdiv(count, 64),)](begins, ends, out, count, 64)
        return out
