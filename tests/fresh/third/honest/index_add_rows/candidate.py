import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def copy_kernel(src_ptr, dst_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(dst_ptr + i, tl.load(src_ptr + i, mask=i < n, other=0.0), mask=i < n)


@triton.jit
def add_rows(out_ptr, index_ptr, rows_ptr, N, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    to = tl.load(index_ptr + r)
    value = tl.load(rows_ptr + r * N + c, mask=c < N, other=0.0)
    tl.atomic_add(out_ptr + to * N + c, value, mask=c < N)


class ModelNew(nn.Module):
    def forward(self, base, index, rows):
        base, rows = base.contiguous(), rows.contiguous()
        out = torch.empty_like(base)
        total = base.numel()
        copy_kernel[(triton.cdiv(total, 128),)](base, out, total, BLOCK=128)
        n = base.shape[1]
        add_rows[(rows.shape[0],)](out, index, rows, n, BLOCK=triton.next_power_of_2(n))
        return out
