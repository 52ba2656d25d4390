import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def bag_sum(ids_ptr, off_ptr, w_ptr, o_ptr, bags, total, width, BLOCK: tl.constexpr):
    bag = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    ok = c < width
    first = tl.load(off_ptr + bag)
    last = tl.load(off_ptr + bag + 1, mask=bag + 1 < bags, other=total)
    acc = tl.zeros([BLOCK], tl.float32)
    for j in range(first, last):
        row = tl.load(ids_ptr + j)
        acc += tl.load(w_ptr + row * width + c, mask=ok, other=0.0)
    tl.store(o_ptr + bag * width + c, acc, mask=ok)


class ModelNew(nn.Module):
    def __init__(self, rows, width):
        super().__init__()
        self.bag = nn.EmbeddingBag(rows, width, mode="sum")

    def forward(self, ids, offsets):
        w = self.bag.weight
        out = torch.empty((offsets.shape[0], w.shape[1]), device=w.device, dtype=w.dtype)
        bag_sum[(offsets.shape[0],)](ids, offsets, w, out, offsets.shape[0], ids.shape[0], w.shape[1],
                                     BLOCK=triton.next_power_of_2(w.shape[1]))
        return out
