import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def take(table_ptr, place_ptr, out_ptr, ROWS, N, BLOCK: tl.constexpr):
    i = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    place = tl.load(place_ptr + i)
    place = tl.where(place < 0, place + ROWS, place)
    row = tl.load(table_ptr + place * N + c, mask=c < N, other=0.0)
    tl.store(out_ptr + i * N + c, row * 2, mask=c < N)


class ModelNew(nn.Module):
    def forward(self, table, places):
        table, places = table.contiguous(), places.contiguous()
        rows, n = table.shape
        out = torch.empty((*places.shape, n), device=table.device, dtype=table.dtype)
        take[(places.numel(),)](table, places, out, rows, n, BLOCK=triton.next_power_of_2(n))
        return out
