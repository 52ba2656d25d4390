import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def lookup(c_ptr, b_ptr, y_ptr, n, ENTRIES: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < n
    book = tl.load(b_ptr + tl.arange(0, ENTRIES))
    code = tl.load(c_ptr + i, mask=ok, other=0)
    code = tl.where(code < 0, code + ENTRIES, code)
    tl.store(y_ptr + i, tl.gather(book, code, 0), mask=ok)


class ModelNew(nn.Module):
    def forward(self, codes, book):
        y = torch.empty(codes.shape, device=book.device, dtype=book.dtype)
        lookup[(triton.cdiv(codes.numel(), 64),)](codes, book, y, codes.numel(), ENTRIES=book.numel(), BLOCK=64)
        return y
