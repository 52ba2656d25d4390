import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def weighted_bag(ids_ptr, raw_ptr, w_ptr, o_ptr, L, width, BLOCK: tl.constexpr):
    bag = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    acc = tl.zeros([BLOCK], tl.float32)
    total = 0.0
    for j in range(L):
        row = tl.load(ids_ptr + bag * L + j)
        w = tl.sigmoid(tl.load(raw_ptr + bag * L + j))
        acc += w * tl.load(w_ptr + row * width + c, mask=c < width, other=0.0)
        total += w
    tl.store(o_ptr + bag * width + c, acc / (total + 1e-3), mask=c < width)


class ModelNew(nn.Module):
    def __init__(self, rows, width):
        super().__init__()
        self.table = nn.Embedding(rows, width)

    def forward(self, ids, raw):
        w = self.table.weight
        out = torch.empty((ids.shape[0], w.shape[1]), device=w.device, dtype=w.dtype)
        weighted_bag[(ids.shape[0],)](ids, raw, w, out, ids.shape[1], w.shape[1], BLOCK=triton.next_power_of_2(w.shape[1]))
        return out
