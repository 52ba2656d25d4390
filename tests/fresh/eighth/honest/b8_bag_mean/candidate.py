import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def bag_mean(table, ids, out, size, dim, PAD: tl.constexpr, SIZE: tl.constexpr, DIM: tl.constexpr):
    bag = tl.program_id(0)
    s = tl.arange(0, SIZE)
    d = tl.arange(0, DIM)
    index = tl.load(ids + bag * size + s, mask=s < size, other=PAD)
    real = index != PAD
    rows = tl.load(table + index[:, None] * dim + d[None, :], mask=real[:, None] & (d < dim)[None, :], other=0.0)
    count = tl.maximum(tl.sum(real.to(tl.int32), axis=0), 1)
    tl.store(out + bag * dim + d, tl.sum(rows, axis=0) / count.to(tl.float32), mask=d < dim)


class ModelNew(nn.Module):
    def __init__(self, rows, dim):
        super().__init__()
        self.bag = nn.EmbeddingBag(rows, dim, mode="mean", padding_idx=0)

    def forward(self, ids):
        bags, size = ids.shape
        dim = self.bag.weight.shape[1]
        out = torch.empty((bags, dim), device=ids.device, dtype=self.bag.weight.dtype)
        bag_mean[(bags,)](
            self.bag.weight, ids, out, size, dim,
            PAD=0, SIZE=triton.next_power_of_2(size), DIM=triton.next_power_of_2(dim),
        )
        return out
