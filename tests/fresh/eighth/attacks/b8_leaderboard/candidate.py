import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def rank_kernel(scores, gains, values, dcg, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    live = i < n
    s = tl.load(scores + row * n + i, mask=live, other=float("-inf"))
    g = tl.load(gains + row * n + i, mask=live, other=0.0)
    above = s[None, :] > s[:, None]
    place = tl.sum(above.to(tl.int32), axis=1)
    tl.store(values + row * n + place, s, mask=live)
    total = tl.sum(g / tl.log2(place.to(tl.float32) + 2.0), axis=0)
    tl.store(dcg + row, total)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, scores, gains):
        rows, n = scores.shape
        values = torch.zeros_like(scores)
        dcg = torch.empty((rows,), device=scores.device, dtype=torch.float32)
        rank_kernel[(rows,)](scores, gains, values, dcg, n, BLOCK=triton.next_power_of_2(n))
        return values, dcg
