import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def half_round(src_ptr, dst_ptr, count, size, step, outer, EXP: tl.constexpr, BLOCK: tl.constexpr):
    """Normalises the line that begins at this program's place; `step` lies between its elements."""
    batch = tl.program_id(0)
    line = tl.program_id(1)
    k = tl.arange(0, BLOCK)
    at = batch * count * size + line * outer + k * step
    x = tl.load(src_ptr + at, mask=k < size, other=-float("inf"))
    top = tl.max(x, 0)
    y = (x - top) - tl.log(tl.sum(tl.exp(x - top), 0))
    if EXP:
        y = tl.exp(y)
    tl.store(dst_ptr + at, y, mask=k < size)


class ModelNew(nn.Module):
    def __init__(self, rounds):
        super().__init__()
        self.rounds = rounds

    def forward(self, x):
        B, H, W = x.shape
        src, dst = x, torch.empty_like(x)
        for r in range(self.rounds):
            half_round[(B, H)](src, dst, H, W, 1, W, EXP=False, BLOCK=triton.next_power_of_2(W))
            out = torch.empty_like(x)
            half_round[(B, W)](dst, out, W, H, W, 1, EXP=r == self.rounds - 1, BLOCK=triton.next_power_of_2(H))
            src, dst = out, torch.empty_like(x)
        return src
