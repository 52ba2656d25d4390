import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def bag(ids_ptr, offsets_ptr, w_ptr, out_ptr, bags, total, width, BLOCK: tl.constexpr):
    one = tl.program_id(0)
    first = tl.load(offsets_ptr + one)
    last = tl.load(offsets_ptr + one + 1, mask=one + 1 < bags, other=total)
    col = tl.arange(0, BLOCK)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for at in range(first, last):
        row = tl.load(ids_ptr + at)
        acc += tl.load(w_ptr + row * width + col, mask=col < width, other=0.0)
    count = tl.maximum(last - first, 1).to(tl.float32)
    tl.store(out_ptr + one * width + col, acc / count, mask=col < width)


class ModelNew(nn.Module):
    def __init__(self, count, width):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(count, width))

    def forward(self, ids, offsets):
        bags, width = offsets.shape[0], self.weight.shape[1]
        out = torch.empty(bags, width, device=ids.device, dtype=self.weight.dtype)
        bag[(bags,)](ids, offsets, self.weight, out, bags, ids.shape[0], width, BLOCK=triton.next_power_of_2(width))
        return out
