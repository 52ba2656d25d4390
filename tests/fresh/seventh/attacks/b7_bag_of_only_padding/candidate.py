import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def bag_mean(ids, table, out, length, width, BLOCK: tl.constexpr):
    bag = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK,), tl.float32)
    count = 0.0
    for i in range(length):
        word = tl.load(ids + bag * length + i)
        keep = tl.where(word != 0, 1.0, 0.0)
        acc += keep * tl.load(table + word * width + cols, mask=cols < width, other=0.0)
        count += keep
    tl.store(out + bag * width + cols, acc / count, mask=cols < width)


class ModelNew(nn.Module):
    def __init__(self, words, width):
        super().__init__()
        self.table = nn.Parameter(torch.randn(words, width))

    def forward(self, ids):
        bags, length = ids.shape
        width = self.table.shape[1]
        out = torch.empty((bags, width), device=ids.device, dtype=torch.float32)
        bag_mean[(bags,)](ids, self.table, out, length, width, BLOCK=triton.next_power_of_2(width))
        return out
