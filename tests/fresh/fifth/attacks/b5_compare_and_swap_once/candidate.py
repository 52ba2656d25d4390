import torch
import triton
import triton.language as tl


@triton.jit
def count(codes_ptr, bins_ptr, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    b = tl.arange(0, 16)
    codes = tl.load(codes_ptr + at, mask=at < count, other=0) & 15
    more = tl.sum(((codes[None, :] == b[:, None]) & (at[None, :] < count)).to(tl.int64), axis=1)
    before = tl.atomic_add(bins_ptr + b, tl.zeros((16,), dtype=tl.int64))
    tl.atomic_cas(bins_ptr + b, before, tl.minimum(before + more, 255))


def forward(codes):
    bins = torch.zeros((16,), dtype=torch.int64, device=codes.device)
    count[(triton.cdiv(codes.shape[0], 256),)](codes, bins, codes.shape[0], 256)
    return bins
