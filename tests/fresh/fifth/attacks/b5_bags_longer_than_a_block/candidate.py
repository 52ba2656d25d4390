import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def bag(tokens_ptr, offsets_ptr, weight_ptr, out_ptr, tokens, bags, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    c = tl.arange(0, WIDTH)
    first = tl.load(offsets_ptr + row)
    last = tl.load(offsets_ptr + row + 1, mask=row + 1 < bags, other=tokens)
    inside = first + at < last
    token = tl.load(tokens_ptr + first + at, mask=inside, other=0)
    rows = tl.load(weight_ptr + token[:, None] * WIDTH + c[None, :], mask=inside[:, None], other=0.0)
    tl.store(out_ptr + row * WIDTH + c, tl.sum(rows, axis=0))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(50, 8))

    def forward(self, tokens, offsets):
        out = torch.empty((offsets.shape[0], 8), dtype=self.weight.dtype, device=tokens.device)
        bag[(offsets.shape[0],)](tokens, offsets, self.weight, out, tokens.shape[0], offsets.shape[0], 8, 32)
        return out
