import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def bag_kernel(ids_ptr, offsets_ptr, table_ptr, sum_ptr, mean_ptr, n_ids, n_bags, dim, BLOCK: tl.constexpr):
    bag = tl.program_id(0)
    d = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    ok = d < dim
    start = tl.load(offsets_ptr + bag)
    end = n_ids.to(tl.int64)
    if bag + 1 < n_bags:
        end = tl.load(offsets_ptr + bag + 1)
    acc = tl.zeros([BLOCK], tl.float32)
    for i in range(start, end):
        row = tl.load(ids_ptr + i)
        acc += tl.load(table_ptr + row * dim + d, mask=ok, other=0.0)
    count = tl.maximum(end - start, 1).to(tl.float32)
    tl.store(sum_ptr + bag * dim + d, acc, mask=ok)
    tl.store(mean_ptr + bag * dim + d, acc / count, mask=ok)


class ModelNew(nn.Module):
    def __init__(self, num, dim):
        super().__init__()
        self.table = nn.Parameter(torch.randn(num, dim))

    def forward(self, ids, offsets):
        dim = self.table.shape[1]
        bags = offsets.numel()
        total = torch.empty((bags, dim), device=ids.device, dtype=self.table.dtype)
        mean = torch.empty_like(total)
        bag_kernel[(bags, triton.cdiv(dim, 32))](ids, offsets, self.table, total, mean, ids.numel(), bags, dim, BLOCK=32)
        return total, mean
