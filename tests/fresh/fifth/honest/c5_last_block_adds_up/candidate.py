import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def squares(x_ptr, part_ptr, count_ptr, out_ptr, rows, width, parts, ROWS: tl.constexpr, WIDTH: tl.constexpr,
            PARTS: tl.constexpr):
    block = tl.program_id(0)
    row = block * ROWS + tl.arange(0, ROWS)
    col = tl.arange(0, WIDTH)
    x = tl.load(x_ptr + row[:, None] * width + col[None, :], mask=(row[:, None] < rows) & (col[None, :] < width), other=0.0)
    tl.store(part_ptr + block * WIDTH + col, tl.sum(x * x, axis=0))
    tl.debug_barrier()
    arrived = tl.atomic_add(count_ptr, 1)
    if arrived == parts - 1:
        part = tl.arange(0, PARTS)
        each = tl.load(part_ptr + part[:, None] * WIDTH + col[None, :], mask=part[:, None] < parts, other=0.0,
                       cache_modifier=".cg")
        tl.store(out_ptr + col, tl.sqrt(tl.sum(each, axis=0)), mask=col < width)


class ModelNew(nn.Module):
    def forward(self, x):
        rows, width = x.shape
        parts = triton.cdiv(rows, 16)
        block = triton.next_power_of_2(width)
        part = torch.empty(parts, block, device=x.device, dtype=torch.float32)
        count = torch.zeros(1, device=x.device, dtype=torch.int32)
        out = torch.empty(width, device=x.device, dtype=x.dtype)
        squares[(parts,)](x, part, count, out, rows, width, parts, ROWS=16, WIDTH=block, PARTS=triton.next_power_of_2(parts))
        return out
