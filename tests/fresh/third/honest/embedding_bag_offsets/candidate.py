import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def bag_mean(ids_ptr, offs_ptr, table_ptr, out_ptr, total, bags, width, BLOCK: tl.constexpr):
    bag = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < width
    begin = tl.load(offs_ptr + bag)
    end = tl.load(offs_ptr + bag + 1, mask=bag + 1 < bags, other=total)
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for i in range(begin, end):
        row = tl.load(ids_ptr + i)
        acc += tl.load(table_ptr + row * width + cols, mask=mask, other=0.0)
    count = tl.maximum(end - begin, 1).to(tl.float32)
    tl.store(out_ptr + bag * width + cols, acc / count, mask=mask)


class ModelNew(nn.Module):
    def __init__(self, rows, width):
        super().__init__()
        self.bag = nn.EmbeddingBag(rows, width, mode="mean")

    def forward(self, ids, offsets):
        table = self.bag.weight
        width = table.shape[1]
        bags = offsets.shape[0]
        out = torch.empty((bags, width), device=table.device, dtype=table.dtype)
        bag_mean[(bags,)](ids, offsets, table, out, ids.shape[0], bags, width, BLOCK=triton.next_power_of_2(width))
        return out
