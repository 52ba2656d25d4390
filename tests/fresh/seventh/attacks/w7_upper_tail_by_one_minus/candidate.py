import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def upper_tail(scores_ptr, out_ptr, count, BLOCK: tl.constexpr):
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(scores_ptr + place, mask=place < count, other=0.0)
    tl.store(out_ptr + place, 0.5 * (1.0 - tl.erf(x * 0.7071067811865476)), mask=place < count)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, scores):
        out = torch.empty_like(scores)
        count = scores.numel()
        upper_tail[(triton.cdiv(count, 128),)](scores, out, count, 128)
        return out
