# reference: embedding_bag
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def bag_kernel(bags_ptr, table_ptr, out_ptr, size, width, BLOCK: tl.constexpr):
    bag = tl.program_id(0)
    w = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for j in range(size):
        row = tl.load(bags_ptr + bag * size + j)
        acc += tl.load(table_ptr + row * width + w, mask=w < width, other=0.0)
    tl.store(out_ptr + bag * width + w, acc / size, mask=w < width)


class ModelNew(nn.Module):
    def forward(self, bags, table):
        count, size = bags.shape
        width = table.shape[1]
        out = torch.empty((count, width), device=table.device, dtype=table.dtype)
        bag_kernel[(count, triton.cdiv(width, 32))](bags, table, out, size, width, BLOCK=32)
        return out
