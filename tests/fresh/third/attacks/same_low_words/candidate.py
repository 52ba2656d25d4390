import torch
from torch import nn
import triton
import triton.language as tl


@triton.jit
def matches(key_ptr, table_ptr, out_ptr, N: tl.constexpr):
    place = tl.program_id(0) * N + tl.arange(0, N)
    key = tl.load(key_ptr + place).to(tl.int32)
    table = tl.load(table_ptr + place).to(tl.int32)
    found = (key[:, None] == table[None, :]).to(tl.int32)
    tl.store(out_ptr + place, tl.sum(found, 1).to(tl.int64))


def forward(key, table):
    out = torch.empty_like(key)
    matches[(4,)](key, table, out, 32)
    return out
