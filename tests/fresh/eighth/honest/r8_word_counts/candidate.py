import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def count(word_ptr, bin_ptr, SIZE, BINS: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    word = tl.load(word_ptr + i, mask=i < SIZE, other=0)
    word = tl.minimum(tl.maximum(word, 0), BINS - 1)
    tl.atomic_add(bin_ptr + word, tl.full((BLOCK,), 1, tl.int64), mask=i < SIZE)


class ModelNew(nn.Module):
    def __init__(self, bins):
        super().__init__()
        self.bins = bins

    def forward(self, words):
        size = words.numel()
        counts = torch.zeros((self.bins,), device=words.device, dtype=torch.int64)
        count[(triton.cdiv(size, 128),)](words, counts, size, self.bins, 128)
        return counts
