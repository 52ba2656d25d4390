import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def scores(user_ptr, item_ptr, a_ptr, b_ptr, out_ptr, D: tl.constexpr):
    n = tl.program_id(0)
    d = tl.arange(0, D)
    a = tl.load(a_ptr + tl.load(user_ptr + n) * D + d)
    b = tl.load(b_ptr + tl.load(item_ptr + n) * D + d)
    tl.store(out_ptr + n, tl.sum(a * b, axis=0))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.user = nn.Embedding(24, 16)
        self.item = nn.Embedding(24, 16)
        self.pair = (self.user, self.item)

    def forward(self, user, item):
        first, second = self.pair
        out = torch.empty((user.shape[0],), dtype=first.weight.dtype, device=user.device)
        scores[(user.shape[0],)](user, item, first.weight, second.weight, out, first.embedding_dim)
        return out
