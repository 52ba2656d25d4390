import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def loss(guess_ptr, truth_ptr, out_ptr, edge, SIZE, BLOCK: tl.constexpr):
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = place < SIZE
    guess = tl.load(guess_ptr + place, mask=inside, other=0.0)
    truth = tl.load(truth_ptr + place, mask=inside, other=0.0)
    off = tl.abs(guess - truth)
    middle = (off <= edge).to(tl.float32)
    out = middle * (0.5 * off * off) + (1.0 - middle) * (edge * (off - 0.5 * edge))
    # no branch: one of the two pieces is multiplied by zero
    tl.store(out_ptr + place, out, mask=inside)


class ModelNew(nn.Module):
    def __init__(self, edge):
        super().__init__()
        self.edge = edge

    def forward(self, guess, truth):
        out = torch.empty_like(guess)
        loss[(triton.cdiv(guess.numel(), 256),)](guess, truth, out, self.edge, guess.numel(), 256)
        return out
