import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def copy_rows(rows, place, y, C, B: tl.constexpr):
    t = tl.program_id(0)
    c = tl.arange(0, B)
    src = tl.load(place + t)
    tl.store(y + t * C + c, tl.load(rows + src * C + c, mask=c < C), mask=c < C)


class ModelNew(nn.Module):
    def __init__(self, words, c):
        super().__init__()
        self.table = nn.Embedding(words, c)
        self.out = nn.Linear(c, c)

    def forward(self, ids):
        distinct, place = torch.unique(ids, return_inverse=True)
        rows = torch.tanh(self.out(self.table(distinct))).contiguous()
        y = torch.empty((ids.numel(), rows.shape[1]), device=ids.device, dtype=rows.dtype)
        copy_rows[(ids.numel(),)](rows, place, y, rows.shape[1], B=triton.next_power_of_2(rows.shape[1]))
        return y
