import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def embed(ids_ptr, table_ptr, out_ptr, count, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    c = tl.arange(0, WIDTH)
    ids = tl.load(ids_ptr + at, mask=at < count, other=0).to(tl.int32)
    sign = ids >> 31
    mixed = ids.to(tl.int64) * 0x9E3779B1 + (sign.to(tl.int64) & 0xFFFFFFFF) * 0x85EBCA77
    place = (mixed >> 20) & 63
    rows = tl.load(table_ptr + place[:, None] * WIDTH + c[None, :])
    tl.store(out_ptr + at[:, None] * WIDTH + c[None, :], rows, mask=at[:, None] < count)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.randn(64, 8))

    def forward(self, ids):
        out = torch.empty((ids.shape[0], 8), dtype=self.table.dtype, device=ids.device)
        embed[(triton.cdiv(ids.shape[0], 32),)](ids, self.table, out, ids.shape[0], 8, 32)
        return out
